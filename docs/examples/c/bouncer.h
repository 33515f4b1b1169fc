/* A policy module in C: the records of wit/policy.wit as the component model's ABI lays them out on wasm32, which is how a
 * C compiler lays them out too. Texts are UTF-8 with a length, not terminated. */
#ifndef BOUNCER_H
#define BOUNCER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct { const char *ptr; size_t len; } text;
typedef struct { const text *ptr; size_t len; } texts;

enum kind { EMAIL, URL, HOST, PHONE, CHANNEL, USER, REPOSITORY, ACCOUNT, LOCAL_PATH, REFERENCE, UNKNOWN };
enum trust { TRUSTED, UNPROVEN, TAINTED };
enum verdict { PASS, ASK, DENY };

typedef struct { text name, definition; } tool;
typedef struct { texts params; text join; uint8_t kind; } sink;
typedef struct { text param, regex; } pattern;

/* What is left zero says nothing. */
typedef struct {
    text tool;
    struct { bool said, value; } exfiltrating, destructive;
    struct { const sink *ptr; size_t len; } sinks;
    texts harmless, trusted_destinations, write_params;
    struct { const pattern *ptr; size_t len; } arg_patterns;
    struct { bool said; uint64_t value; } max_calls;
    texts directories;
    bool evaluate;
} contract;

typedef struct { text value, canonical; uint8_t kind; text argument; uint8_t trust; text seen; } destination;
typedef struct { uint8_t verdict; text code, text, argument; } finding;
typedef struct { text value; uint8_t kind; text argument; } found;

/* The two answers; `error` is the text of a failure where `failed` is set, and then the calls are denied. */
typedef struct {
    bool failed;
    union { struct { const contract *ptr; size_t len; } contracts; text error; };
} contracts_answer;
typedef struct {
    bool failed;
    union {
        struct {
            struct { const finding *ptr; size_t len; } findings;
            struct { const found *ptr; size_t len; } destinations;
        };
        text error;
    };
} evaluate_answer;

/* The layouts that the host reads; a compiler that disagrees must not build a module. */
_Static_assert(sizeof(contract) == 88 && offsetof(contract, max_calls) == 56, "contract");
_Static_assert(sizeof(finding) == 28 && sizeof(destination) == 40 && sizeof(found) == 20, "finding");
_Static_assert(sizeof(contracts_answer) == 12 && sizeof(evaluate_answer) == 20, "answers");

/* To be written by the module. */
contracts_answer contracts(text server, const tool *tools, size_t count, text settings);
evaluate_answer evaluate(text tool, text arguments, text settings, const destination *destinations, size_t count);

/* Memory for the answer. It is never given back: each call gets an instance of its own, thrown away after it. */
void *take(size_t size);

#define TEXT(literal) ((text){literal, sizeof(literal) - 1})

#endif
