/* The function is local to its library: the dynamic linker does not know it, the symbol table does. */
static void *find(void *library, const char *path, const char *symbol) {
    struct link_map *map = 0;
    struct stat status;
    int file = open(path, O_RDONLY);
    if (file < 0 || fstat(file, &status) != 0 || dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) return 0;
    const char *image = mmap(0, status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (image == MAP_FAILED) return 0;
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)image;
    const ElfW(Shdr) *sections = (const ElfW(Shdr) *)(image + header->e_shoff);
    for (int i = 0; i < header->e_shnum; i++) {
        if (sections[i].sh_type != SHT_SYMTAB) continue;
        const char *names = image + sections[sections[i].sh_link].sh_offset;
        const ElfW(Sym) *symbols = (const ElfW(Sym) *)(image + sections[i].sh_offset);
        for (size_t k = 0; k < sections[i].sh_size / sizeof *symbols; k++)
            if ((symbols[k].st_info & 0xf) == STT_FUNC && strcmp(names + symbols[k].st_name, symbol) == 0)
                return (char *)map->l_addr + symbols[k].st_value;
    }
    return 0;
}

