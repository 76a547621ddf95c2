"""People who sign in: users, their roles in shops, invitations, one-use links."""
