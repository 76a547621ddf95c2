-- Exports that leave by themselves (docs/reports.md): which, how often, whereto, and up to which day they have gone.
ALTER TABLE shops ADD COLUMN exports text NOT NULL DEFAULT '';
ALTER TABLE shops ADD COLUMN export_every text NOT NULL DEFAULT 'off'
    CHECK (export_every IN ('off', 'day', 'week', 'month'));
ALTER TABLE shops ADD COLUMN export_to text NOT NULL DEFAULT 'folder';
ALTER TABLE shops ADD COLUMN exported_until date;
