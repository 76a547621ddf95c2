-- How long the callback of a person's decision waits, so that what is undone meanwhile calls nobody (D-18).
ALTER TABLE shops ADD COLUMN callback_grace_seconds integer NOT NULL DEFAULT 10
    CHECK (callback_grace_seconds BETWEEN 0 AND 300);

-- WITHDRAWN: its change was undone before it went out.
ALTER TABLE callbacks DROP CONSTRAINT callbacks_status_check;
ALTER TABLE callbacks ADD CONSTRAINT callbacks_status_check
    CHECK (status IN ('WAITING', 'PENDING', 'DELIVERED', 'GIVEN_UP', 'PAUSED', 'OFF', 'WITHDRAWN')) NOT VALID;
ALTER TABLE callbacks VALIDATE CONSTRAINT callbacks_status_check;
