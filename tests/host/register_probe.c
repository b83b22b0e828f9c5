/* Prints the name under which a library registers itself, as the Ark engine sees it: the engine opens the library and its
 * constructor calls napi_module_register; then the engine calls napi_onLoad. When it has forgotten the module it does so
 * again, and a library that was never unloaded has no constructor then. One line for each registration; "(no init
 * function)" if it has none.
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
  for (int import = 0; import < 2; import++) {
    void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library) {
      fprintf(stderr, "%s\n", argc == 2 ? dlerror() : "usage: register_probe LIBRARY");
      return 1;
    }
    void (*loaded)(void) = (void (*)(void))dlsym(library, "napi_onLoad");
    if (loaded) loaded();
    dlclose(library);
  }
  return 0;
}
