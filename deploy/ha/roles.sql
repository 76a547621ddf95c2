-- Run once as superuser on the primary: psql -v owner_password=... -v service_password=... -f roles.sql
CREATE ROLE paymatch LOGIN PASSWORD :'owner_password';
CREATE ROLE paymatch_app NOLOGIN;
CREATE ROLE paymatch_operator NOLOGIN;
CREATE ROLE paymatch_area NOLOGIN;
CREATE ROLE paymatch_service LOGIN NOINHERIT PASSWORD :'service_password';
GRANT paymatch_app, paymatch_operator, paymatch_area TO paymatch_service;
CREATE DATABASE paymatch OWNER paymatch;
