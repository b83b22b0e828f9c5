/* Prints the name under which a library registers itself, as the Ark engine sees it: the engine opens the library and its
 * constructor calls napi_module_register. One line for each registration; "(no init function)" if it has none.
 * All other napi_* come from the stub libace_napi.z.so: none is called before the engine runs the init function.
 */
#include <dlfcn.h>
#include <node_api.h>
#include <stdio.h>

/* exported (-rdynamic): it comes before the stub's in the search order */
void napi_module_register(napi_module *module) {
  puts(module->nm_register_func ? module->nm_modname : "(no init function)");
}

int main(int argc, char **argv) {
  if (argc == 2 && dlopen(argv[1], RTLD_NOW | RTLD_LOCAL)) return 0;
  fprintf(stderr, "%s\n", argc == 2 ? dlerror() : "usage: register_probe LIBRARY");
  return 1;
}
