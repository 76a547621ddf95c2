-- Code and values of why an advice cannot be read, as JSON (D-89).
ALTER TABLE advices ADD COLUMN problem_message text NOT NULL DEFAULT '';
