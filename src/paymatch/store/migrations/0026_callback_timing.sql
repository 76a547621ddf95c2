-- Where the time of an attempt went, in microseconds, and the address that was called. NULL: the attempt had no such part, or was made before this was measured.
ALTER TABLE callback_attempts
    ADD COLUMN name_us integer,
    ADD COLUMN connect_us integer,
    ADD COLUMN tls_us integer,
    ADD COLUMN first_byte_us integer,
    ADD COLUMN address text NOT NULL DEFAULT '';
