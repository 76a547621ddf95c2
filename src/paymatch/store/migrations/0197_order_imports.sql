-- Orders that came from a file: which ones an import has made, so that it can be undone, and how each layout is read.
CREATE TABLE order_imports (
    shop_id uuid NOT NULL,
    id text NOT NULL,
    at timestamptz NOT NULL,
    new_orders integer NOT NULL,
    changed_orders integer NOT NULL,
    undone_at timestamptz,
    PRIMARY KEY (shop_id, id)
);

-- `digest`: of the order's document as it was imported; one that has changed since is not undone.
CREATE TABLE order_import_orders (
    shop_id uuid NOT NULL,
    import_id text NOT NULL,
    order_number text NOT NULL,
    digest text NOT NULL,
    PRIMARY KEY (shop_id, import_id, order_number)
);

-- `columns` is JSON: heading -> field of the merchant API.
CREATE TABLE order_layouts (
    shop_id uuid NOT NULL,
    layout text NOT NULL,
    columns text NOT NULL,
    saved_at timestamptz NOT NULL,
    PRIMARY KEY (shop_id, layout)
);
