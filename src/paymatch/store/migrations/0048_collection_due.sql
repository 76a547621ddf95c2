-- The day that a case was due: interest is computed from it, also where the order names none (docs/decisions/054-collection.md).

ALTER TABLE collections ADD COLUMN due_on date;
