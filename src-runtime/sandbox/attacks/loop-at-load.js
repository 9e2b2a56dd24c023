// Never finishes loading.
for (;;);
