static void *find(void *library, const char *path) {
    (void)path;
    return dlsym(library, SYMBOL);
}

