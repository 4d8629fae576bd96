/* SPDX-License-Identifier: Apache-2.0 */
#include "format/text/yaml_reader.h"

#include <assert.h>
#include <stdio.h>

enum { DEPTH_MAX = 16 };

void yaml_open(struct yaml_reader *reader, struct str text, struct err *err)
{
    int made = yaml_parser_initialize(&reader->parser);

    assert(made);
    (void)made;
    reader->err = err;
    yaml_parser_set_encoding(&reader->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&reader->parser,
                                 (const unsigned char *)(text.data ? text.data : ""), text.size);
}

void yaml_close(struct yaml_reader *reader)
{
    if (reader->has_event) yaml_event_delete(&reader->event);
    reader->has_event = false;
    yaml_parser_delete(&reader->parser);
}

int yaml_bad_line(struct yaml_reader *reader, size_t line, const char *what)
{
    if (reader->line) {
        *reader->line = (uint32_t)line;
        return err_set(reader->err, ERR_FORMAT, "%s", what);
    }
    if (reader->file) {
        return err_set(reader->err, ERR_FORMAT, "%s:%zu: %s", reader->file, line, what);
    }
    return err_set(reader->err, ERR_FORMAT, "line %zu: %s", line, what);
}

int yaml_bad(struct yaml_reader *reader, const char *what)
{
    return yaml_bad_line(reader, reader->event.start_mark.line + 1, what);
}

static bool has_anchor(const yaml_event_t *event)
{
    if (event->type == YAML_ALIAS_EVENT) return true;
    if (event->type == YAML_SCALAR_EVENT) {
        return event->data.scalar.anchor || event->data.scalar.tag;
    }
    if (event->type == YAML_SEQUENCE_START_EVENT) {
        return event->data.sequence_start.anchor || event->data.sequence_start.tag;
    }
    if (event->type == YAML_MAPPING_START_EVENT) {
        return event->data.mapping_start.anchor || event->data.mapping_start.tag;
    }
    return false;
}

int yaml_next(struct yaml_reader *reader)
{
    yaml_event_t *event = &reader->event;

    if (reader->has_event) yaml_event_delete(event);
    reader->has_event = yaml_parser_parse(&reader->parser, event);
    if (!reader->has_event) {
        const yaml_parser_t *parser = &reader->parser;
        bool read = parser->error == YAML_READER_ERROR;

        assert(parser->error != YAML_MEMORY_ERROR);
        return yaml_bad_line(reader, (read ? parser->mark.line : parser->problem_mark.line) + 1,
                             parser->problem ? parser->problem : "no YAML");
    }
    if (has_anchor(event)) return yaml_bad(reader, "anchors, aliases and tags are refused");
    if (event->type == YAML_SEQUENCE_START_EVENT || event->type == YAML_MAPPING_START_EVENT) {
        if (++reader->depth > DEPTH_MAX) return yaml_bad(reader, "too many levels");
    }
    if (event->type == YAML_SEQUENCE_END_EVENT || event->type == YAML_MAPPING_END_EVENT) {
        reader->depth--;
    }
    return 0;
}

int yaml_expect(struct yaml_reader *reader, yaml_event_type_t type, const char *otherwise)
{
    int rc = yaml_next(reader);

    if (rc == 0 && reader->event.type != type) rc = yaml_bad(reader, otherwise);
    return rc;
}

struct str yaml_scalar(const struct yaml_reader *reader)
{
    return (struct str){ (const char *)reader->event.data.scalar.value,
                         reader->event.data.scalar.length };
}

static int skip_value(struct yaml_reader *reader)
{
    uint32_t depth = reader->depth;
    int rc;

    do rc = yaml_next(reader);
    while (rc == 0 && reader->depth > depth);
    return rc;
}

static int unknown_key(struct yaml_reader *reader)
{
    char what[512];

    (void)snprintf(what, sizeof what, "there is no key '%.60s'; there are %.300s",
                   yaml_scalar(reader).data, reader->strict);
    return yaml_bad(reader, what);
}

int yaml_next_key(struct yaml_reader *reader, const char *const *keys, uint32_t *seen, int *out)
{
    for (;;) {
        int rc = yaml_next(reader), key = 0;

        if (rc != 0) return rc;
        *out = YAML_KEY_END;
        if (reader->event.type == YAML_MAPPING_END_EVENT) return 0;
        if (reader->event.type != YAML_SCALAR_EVENT) return yaml_bad(reader, "this is no key");
        while (keys[key] && !str_is(yaml_scalar(reader), keys[key])) key++;
        if (keys[key]) {
            if (*seen & 1u << key) return yaml_bad(reader, "this key stands twice");
            *seen |= 1u << key;
            *out = key;
            return 0;
        }
        if (reader->strict) return unknown_key(reader);
        rc = skip_value(reader);
        if (rc != 0) return rc;
    }
}

int yaml_next_item(struct yaml_reader *reader, bool *more)
{
    int rc = yaml_next(reader);

    if (rc != 0) return rc;
    *more = reader->event.type != YAML_SEQUENCE_END_EVENT;
    if (*more && reader->event.type != YAML_MAPPING_START_EVENT) {
        return yaml_bad(reader, "this is no mapping");
    }
    return 0;
}
