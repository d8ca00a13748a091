static void *find(void *library, const char *path, const char *symbol) {
    (void)path;
    return dlsym(library, symbol);
}

