/* A Node addon that loads libresilience.so as the Ark engine does: dlopen, then the init function with (env, exports).
 * One source, three builds: glibc for the host's own Node, musl x86_64 and musl arm64 for the files that ohrs makes.
 * In JavaScript: process.dlopen(m, 'ark_host.node'); lib = m.exports.load('/absolute/path/libresilience.so').
 *
 * Ark's Node-API differs from Node's in three ways that matter here:
 *  - napi_wrap: Ark returns a reference with count 1, which napi-ohos takes down to 0 at once; Node's starts at 0 and
 *    would refuse that. The calls of the loaded library, and only its, are sent to ark_wrap below.
 *  - napi_define_class: Node refuses to call a method on what is no instance of its class, Ark calls it. The library has
 *    to look for itself, see ark_define_class.
 *  - napi_module_register: napi-ohos calls it from a constructor, with a struct on its stack. Ark copies the struct,
 *    Node keeps the pointer in a thread-local. So the library is opened on a thread of its own, which then ends.
 * And refuseThreads(true) is a system that has no thread left for the library, until refuseThreads(false).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <node_api.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static napi_status ark_wrap(napi_env env, napi_value object, void *native, napi_finalize finalize, void *hint,
                            napi_ref *result) {
  napi_status status = napi_wrap(env, object, native, finalize, hint, result);
  uint32_t count;
  return status == napi_ok && result ? napi_reference_ref(env, *result, &count) : status;
}

/* Methods with no signature: real ones for everything else, then the methods as plain functions of the prototype. */
static napi_status ark_define_class(napi_env env, const char *name, size_t length, napi_callback constructor, void *data,
                                    size_t count, const napi_property_descriptor *properties, napi_value *result) {
  napi_property_descriptor methods[64], others[64];
  size_t method_count = 0, other_count = 0;
  if (count > 64) return napi_invalid_arg;
  for (size_t i = 0; i < count; i++) {
    if (properties[i].method && !(properties[i].attributes & napi_static)) methods[method_count++] = properties[i];
    else others[other_count++] = properties[i];
  }
  napi_status status = napi_define_class(env, name, length, constructor, data, other_count, others, result);
  napi_value prototype;
  if (status == napi_ok) status = napi_get_named_property(env, *result, "prototype", &prototype);
  return status == napi_ok ? napi_define_properties(env, prototype, method_count, methods) : status;
}

static volatile bool no_threads;

static int ark_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
  return no_threads ? EAGAIN : pthread_create(thread, attributes, start, argument);
}

static napi_value refuse_threads(napi_env env, napi_callback_info info) {
  size_t argc = 1;
  napi_value argument;
  bool refuse = false;
  napi_get_cb_info(env, info, &argc, &argument, NULL, NULL);
  napi_get_value_bool(env, argument, &refuse);
  no_threads = refuse;
  return NULL;
}

/* Writes `replacement` into every slot of one relocation table through which the library calls `symbol`. */
static void patch_table(const struct link_map *library, const ElfW(Rela) *table, size_t bytes, const ElfW(Sym) *symbols,
                        const char *names, const char *symbol, void *replacement) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  for (const ElfW(Rela) *entry = table; entry < table + bytes / sizeof *table; entry++) {
    size_t index = ELF64_R_SYM(entry->r_info);
    if (index == 0 || strcmp(names + symbols[index].st_name, symbol) != 0) continue;
    uintptr_t slot = library->l_addr + entry->r_offset;
    mprotect((void *)(slot & ~(page - 1)), page, PROT_READ | PROT_WRITE); /* read-only after relocation (RELRO) */
    *(void **)slot = replacement;
  }
}

static void redirect(const struct link_map *library, const char *symbol, void *replacement) {
  const ElfW(Sym) *symbols = NULL;
  const char *names = NULL;
  const ElfW(Rela) *data = NULL, *calls = NULL;
  size_t data_bytes = 0, call_bytes = 0;
  for (const ElfW(Dyn) *entry = library->l_ld; entry->d_tag != DT_NULL; entry++) {
    uintptr_t value = entry->d_un.d_ptr;
    uintptr_t address = value < library->l_addr ? library->l_addr + value : value; /* glibc adds the base itself, musl doesn't */
    switch (entry->d_tag) {
      case DT_SYMTAB: symbols = (const void *)address; break;
      case DT_STRTAB: names = (const void *)address; break;
      case DT_RELA: data = (const void *)address; break;
      case DT_RELASZ: data_bytes = value; break;
      case DT_JMPREL: calls = (const void *)address; break;
      case DT_PLTRELSZ: call_bytes = value; break;
    }
  }
  patch_table(library, data, data_bytes, symbols, names, symbol, replacement);
  patch_table(library, calls, call_bytes, symbols, names, symbol, replacement);
}

struct opening {
  const char *path;
  void *handle;
  char error[512]; /* dlerror is per thread: it has to be kept before the thread ends */
};

static void *open_library(void *argument) {
  struct opening *opening = argument;
  opening->handle = dlopen(opening->path, RTLD_NOW | RTLD_LOCAL);
  if (!opening->handle) snprintf(opening->error, sizeof opening->error, "%s", dlerror());
  return NULL;
}

static napi_value fail(napi_env env, const char *message) {
  napi_throw_error(env, "ERR_DLOPEN_FAILED", message);
  return NULL;
}

static napi_value load(napi_env env, napi_callback_info info) {
  size_t argc = 1, length;
  napi_value argument, exports;
  char path[4096];
  napi_get_cb_info(env, info, &argc, &argument, NULL, NULL);
  if (argc < 1 || napi_get_value_string_utf8(env, argument, path, sizeof path, &length) != napi_ok)
    return fail(env, "load(path): the absolute path of a library is needed");

  struct opening opening = {.path = path};
  pthread_t thread;
  if (pthread_create(&thread, NULL, open_library, &opening) != 0) return fail(env, "no thread to open the library on");
  pthread_join(thread, NULL);
  if (!opening.handle) return fail(env, opening.error);

  struct link_map *library;
  if (dlinfo(opening.handle, RTLD_DI_LINKMAP, &library) != 0) return fail(env, "dlinfo found no link map");
  redirect(library, "napi_wrap", (void *)ark_wrap);
  redirect(library, "napi_define_class", (void *)ark_define_class);
  redirect(library, "pthread_create", (void *)ark_pthread_create);

  napi_addon_register_func init = (napi_addon_register_func)dlsym(opening.handle, "napi_register_module_v1");
  if (!init) return fail(env, "napi_register_module_v1 is not exported");
  napi_create_object(env, &exports);
  napi_value returned = init(env, exports);
  return returned ? returned : exports;
}

NAPI_MODULE_INIT() {
  napi_value function;
  napi_create_function(env, "load", NAPI_AUTO_LENGTH, load, NULL, &function);
  napi_set_named_property(env, exports, "load", function);
  napi_create_function(env, "refuseThreads", NAPI_AUTO_LENGTH, refuse_threads, NULL, &function);
  napi_set_named_property(env, exports, "refuseThreads", function);
  return exports;
}
