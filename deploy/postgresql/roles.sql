-- Roles and database of paymatch in a PostgreSQL of your own. Run once as superuser, on the primary:
--   psql -v owner_password=... -v service_password=... -f roles.sql
-- The owner migrates, backs up, restores and moves: row-level security does not bind it (BYPASSRLS), since a backup has to
-- read every row. The service's login owns nothing and becomes one of three roles in each transaction.
CREATE ROLE paymatch LOGIN BYPASSRLS PASSWORD :'owner_password';
CREATE ROLE paymatch_app NOLOGIN;
CREATE ROLE paymatch_operator NOLOGIN;
CREATE ROLE paymatch_area NOLOGIN;
CREATE ROLE paymatch_service LOGIN NOINHERIT PASSWORD :'service_password';
GRANT paymatch_app, paymatch_operator, paymatch_area TO paymatch_service;
CREATE DATABASE paymatch OWNER paymatch TEMPLATE template0 ENCODING 'UTF8'
    LOCALE_PROVIDER libc LC_COLLATE 'C' LC_CTYPE 'C.UTF-8';
REVOKE CONNECT ON DATABASE paymatch FROM PUBLIC;
GRANT CONNECT ON DATABASE paymatch TO paymatch_service;
