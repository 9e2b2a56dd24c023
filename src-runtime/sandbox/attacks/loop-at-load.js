// Its code never finishes loading.
for (;;);
