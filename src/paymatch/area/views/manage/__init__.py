"""Pages for owners and operators: settings, team, audit log, the installation."""
