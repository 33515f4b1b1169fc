/* Between the ABI and bouncer.h, and the little that a C program needs where there is no C library. */
#include "bouncer.h"

extern char __heap_base;

void *take(size_t size) {
    static size_t next;
    if (next == 0) next = (size_t)&__heap_base;
    size_t at = (next + 15) & ~(size_t)15, end = at + size, have = __builtin_wasm_memory_size(0) * 65536;
    if (size > 0x7fffffff || end < at) __builtin_trap();
    if (end > have && __builtin_wasm_memory_grow(0, (end - have + 65535) / 65536) == (size_t)-1) __builtin_trap();
    next = end;
    return (void *)at;
}

/* The compiler calls these by itself. */
void *memcpy(void *to, const void *from, size_t size) {
    char *t = to;
    const char *f = from;
    while (size--) *t++ = *f++;
    return to;
}

void *memset(void *to, int byte, size_t size) {
    char *t = to;
    while (size--) *t++ = (char)byte;
    return to;
}

/* The host's way to hand over texts: it asks for new memory, or for more of what it had last. */
__attribute__((export_name("cabi_realloc")))
void *cabi_realloc(void *old, size_t had, size_t align, size_t size) {
    (void)align;
    void *new = take(size);
    if (old != NULL) memcpy(new, old, had < size ? had : size);
    return new;
}

/* In the ABI each text and list is two arguments of its own. */
__attribute__((export_name("bouncer:policy/rules@0.1.0#contracts")))
contracts_answer *exported_contracts(const char *name, size_t name_len, const char *reported, size_t reported_len,
                                     const char *version, size_t version_len, const text *command, size_t words,
                                     const tool *tools, size_t count, const char *settings, size_t settings_len) {
    (void)reported, (void)reported_len, (void)version, (void)version_len, (void)command, (void)words;
    contracts_answer *answer = take(sizeof *answer);
    *answer = contracts((text){name, name_len}, tools, count, (text){settings, settings_len});
    return answer;
}

__attribute__((export_name("bouncer:policy/rules@0.1.0#evaluate")))
evaluate_answer *exported_evaluate(const char *server, size_t server_len, const char *tool, size_t tool_len,
                                   const char *arguments, size_t arguments_len, const char *settings,
                                   size_t settings_len, const destination *destinations, size_t count) {
    (void)server, (void)server_len;
    evaluate_answer *answer = take(sizeof *answer);
    *answer = evaluate((text){tool, tool_len}, (text){arguments, arguments_len}, (text){settings, settings_len},
                       destinations, count);
    return answer;
}
