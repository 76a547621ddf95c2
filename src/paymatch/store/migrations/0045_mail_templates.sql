-- A shop's words are templates from now on: braces in words of before stay what they were.
UPDATE mail_texts SET
    subject = regexp_replace(subject, '\{([{%#])', '{{ "{\1" }}', 'g'),
    body = regexp_replace(body, '\{([{%#])', '{{ "{\1" }}', 'g')
WHERE subject ~ '\{[{%#]' OR body ~ '\{[{%#]';
