// A stand-in for libnvrtc.so: g++ compiles the text of kernels to a shared object, which the stand-in driver loads. STANDIN_FOLDER is
// where emulation.h is, and begun.h, which is that and the beginning of all texts (prelude.cuh); STANDIN_CXXFLAGS are more options.
// STANDIN_PLANT="text=>other" plants a fault, for tests to find. STANDIN_OBJECTS is a folder in which objects of g++ are kept: what stays the
// same with other faults, or in another order of threads, is compiled once. Only the first STANDIN_COMPILES texts are compiled, others
// fail. STANDIN_TEXTS is a folder to keep texts in. With STANDIN_DRY nothing is compiled.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>

struct Program { std::string source, module, log; };

// Real ones crash when they are shut down at work. A forked child has a copy of the number, and none of the threads.
static struct Work {
    std::atomic<int> threads{0};
    const pid_t process = getpid();
    ~Work() {
        if (threads && getpid() == process) { fprintf(stderr, "stand-in: NVRTC is shut down while it compiles\n"), abort(); }
    }
} work;
struct AtWork {
    AtWork() { ++work.threads; }
    ~AtWork() { --work.threads; }
};

enum { SUCCESS = 0, COMPILATION = 6 };

static std::string read(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

// Where the object of a text is kept: FNV of 64 bits from both ends.
static std::string kept(const char *folder, const std::string &text) {
    uint64_t forth = 0xcbf29ce484222325, back = forth;
    for (size_t i = 0; i < text.size(); ++i) {
        forth = (forth ^ (unsigned char)text[i]) * 0x100000001b3, back = (back ^ (unsigned char)text[text.size() - 1 - i]) * 0x100000001b3;
    }
    return std::string(folder) + "/" + std::to_string(forth) + "-" + std::to_string(back) + ".so";
}

// Runs g++ on the text, and gives what it has made of it.
static std::string object_of(const std::string &stem, const std::string &source, std::string &log) {
    const char *named = getenv("STANDIN_FOLDER"), *flags = getenv("STANDIN_CXXFLAGS");
    std::string folder = named ? named : ".", text = stem + ".cpp", object = stem + ".so", said = stem + ".log";
    // What all texts begin with is read from the header that was compiled with it.
    std::string prelude = read(folder + "/prelude.cuh");
    bool begun = !prelude.empty() && source.compare(0, prelude.size(), prelude) == 0;
    std::ofstream(text) << (begun ? source.substr(prelude.size()) : source);
    // The C library is the program's, and needs no search.
    std::string command = "g++ -std=c++17 " + std::string(flags ? flags : "") + " -shared -fPIC -nostdlib -include '" + folder +
                          (begun ? "/begun.h" : "/emulation.h") + "' -o '" + object + "' '" + text + "' -lm 2> '" + said + "'";
    std::string bytes = system(command.c_str()) == 0 ? read(object) : "";
    log = read(said);
    unlink(text.c_str()), unlink(object.c_str()), unlink(said.c_str());
    return bytes;
}

extern "C" {

const char *nvrtcGetErrorString(int code) { return code == COMPILATION ? "NVRTC_ERROR_COMPILATION" : "NVRTC_SUCCESS"; }
int nvrtcVersion(int *major, int *minor) { return *major = 13, *minor = 0, SUCCESS; }
int nvrtcGetNumSupportedArchs(int *count) { return *count = 2, SUCCESS; }
int nvrtcGetSupportedArchs(int *known) { return known[0] = 80, known[1] = 90, SUCCESS; }
int nvrtcCreateProgram(Program **program, const char *source, const char *, int, const char *const *, const char *const *) {
    return *program = new Program{source, "", ""}, SUCCESS;
}
int nvrtcDestroyProgram(Program **program) { return delete *program, *program = nullptr, SUCCESS; }

int nvrtcCompileProgram(Program *program, int, const char *const *) {
    AtWork compiling;
    static std::atomic<unsigned> count{0}, compiled{0};
    const char *most = getenv("STANDIN_COMPILES"), *texts = getenv("STANDIN_TEXTS");
    if (most && compiled++ >= (unsigned)atoi(most)) { return COMPILATION; }
    if (texts) { std::ofstream(texts + ("/" + std::to_string(getpid()) + "-" + std::to_string(count++) + ".cu")) << program->source; }
    if (getenv("STANDIN_DRY")) { return program->module = std::string(16, '\0').replace(0, 7, "STANDIN"), SUCCESS; }
    const char *temporary = getenv("TMPDIR"), *objects = getenv("STANDIN_OBJECTS");
    std::string stem = std::string(temporary ? temporary : "/" "tmp") + "/standin-" + std::to_string(getpid()) + "-c" + std::to_string(count++);
    if (const char *plant = getenv("STANDIN_PLANT")) {
        std::string fault = plant, from = fault.substr(0, fault.find("=>")), to = fault.substr(fault.find("=>") + 2);
        size_t at = program->source.find(from), count = 0;
        for (; at != std::string::npos; at = program->source.find(from, at + to.size()), ++count) { program->source.replace(at, from.size(), to); }
        if (!count) { fprintf(stderr, "stand-in: `%s` isn't in the text\n", from.c_str()); }
    }
    std::string known = objects ? kept(objects, program->source) : "", bytes = objects ? read(known) : "";
    if (bytes.empty()) {
        bytes = object_of(stem, program->source, program->log);
        // Whole, whoever reads it.
        std::string part = known + "-" + std::to_string(getpid()) + "-" + std::to_string(count++);
        if (objects && !bytes.empty()) { std::ofstream(part) << bytes, rename(part.c_str(), known.c_str()); }
    }
    uint64_t size = bytes.size();
    program->module = std::string("STANDIN\0", 8) + std::string((const char *)&size, 8) + bytes;
    return size ? SUCCESS : COMPILATION;
}

int nvrtcGetCUBINSize(Program *program, size_t *size) { return *size = program->module.size(), SUCCESS; }
int nvrtcGetCUBIN(Program *program, char *module) { return memcpy(module, program->module.data(), program->module.size()), SUCCESS; }
int nvrtcGetPTXSize(Program *program, size_t *size) { return nvrtcGetCUBINSize(program, size); }
int nvrtcGetPTX(Program *program, char *module) { return nvrtcGetCUBIN(program, module); }
int nvrtcGetProgramLogSize(Program *program, size_t *size) { return *size = program->log.size() + 1, SUCCESS; }
int nvrtcGetProgramLog(Program *program, char *log) { return memcpy(log, program->log.c_str(), program->log.size() + 1), SUCCESS; }

} // extern "C"
