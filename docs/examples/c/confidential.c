/* Asks before any call whose arguments hold a word that marks what must stay inside: `confidential`, or the words of the
 * settings, `{"words": ["bluebird", "internal only"]}`. Upper and lower case of ASCII are the same; escapes of JSON hide
 * nothing. */
#include "bouncer.h"

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }

static int hex(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    c = lower(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* JSON text in lower case with its escapes undone; what is beyond ASCII in an escape becomes a `?`. */
static text plain(text json) {
    char *out = take(json.len + 1);
    size_t n = 0;
    for (size_t i = 0; i < json.len; i++) {
        char c = json.ptr[i];
        if (c == '\\' && i + 1 < json.len) {
            c = json.ptr[++i];
            if (c == 'n' || c == 't' || c == 'r' || c == 'f' || c == 'b') {
                c = ' ';
            } else if (c == 'u' && i + 4 < json.len) {
                int code = 0;
                for (size_t k = 1; k <= 4; k++) code = code < 0 || hex(json.ptr[i + k]) < 0 ? -1 : code * 16 + hex(json.ptr[i + k]);
                i += 4;
                c = code >= 0 && code < 128 ? (char)code : '?';
            }
        }
        out[n++] = lower(c);
    }
    return (text){out, n};
}

static bool holds(text whole, text part) {
    for (size_t i = 0; part.len > 0 && i + part.len <= whole.len; i++) {
        size_t k = 0;
        while (k < part.len && whole.ptr[i + k] == part.ptr[k]) k++;
        if (k == part.len) return true;
    }
    return false;
}

/* The next string of a JSON text from `*at` on, between its quotes; escapes are left as they are. */
static bool string(text json, size_t *at, text *found) {
    while (*at < json.len && json.ptr[*at] != '"') (*at)++;
    size_t start = ++*at;
    while (*at < json.len && json.ptr[*at] != '"') *at += json.ptr[*at] == '\\' ? 2 : 1;
    if (*at >= json.len) return false;
    *found = (text){json.ptr + start, *at - start};
    (*at)++;
    return true;
}

contracts_answer contracts(text server, const tool *tools, size_t count, text settings) {
    (void)server, (void)settings;
    contract *all = take(count * sizeof *all);
    for (size_t i = 0; i < count; i++) all[i] = (contract){.tool = tools[i].name, .evaluate = true};
    return (contracts_answer){.contracts = {all, count}};
}

evaluate_answer evaluate(text tool, text arguments, text settings, const destination *destinations, size_t count) {
    (void)tool, (void)destinations, (void)count;
    static const finding MARKED = {
        .verdict = ASK, .code = TEXT("marked"), .text = TEXT("the call holds a word that marks what must stay inside")};
    text words = plain(settings), call = plain(arguments), word;
    size_t at = 0, had = 0;
    /* The first string is the name of the only setting. */
    if (string(words, &at, &word)) {
        if (!holds(word, TEXT("words")) || word.len != 5)
            return (evaluate_answer){.failed = true, .error = TEXT("settings: the only one is `words`")};
        for (; string(words, &at, &word); had++)
            if (holds(call, word)) return (evaluate_answer){.findings = {&MARKED, 1}};
    }
    if (had == 0 && holds(call, TEXT("confidential"))) return (evaluate_answer){.findings = {&MARKED, 1}};
    return (evaluate_answer){0};
}
