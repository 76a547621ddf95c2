-- A shop's language is one of those that are written (D-89). Others were taken before, and mail was in English then.
UPDATE shops SET language = coalesce(
    substring(lower(language) FROM '^ *(de|en|fr|it|nl|pl|es)(?:[-_]|$)'), 'en'
) WHERE language NOT IN ('de', 'en', 'fr', 'it', 'nl', 'pl', 'es');
