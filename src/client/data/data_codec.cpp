// SPDX-License-Identifier: Apache-2.0

#include "client/data/data_codec.hpp"

#include <zlib.h>

#include <array>
#include <exception>
#include <memory>
#include <stdexcept>
#include <utility>

namespace docent::detail {
namespace {

constexpr int gzip_format = 15 + 16; // the largest window, and a gzip header
constexpr int default_memory = 8;

/// Ends a stream.
using StreamEnd = std::unique_ptr<z_stream, int (*)(z_streamp)>;

void set_input(z_stream& stream, std::string_view data) {
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data())); // zlib does not write to it
    stream.avail_in = static_cast<uInt>(data.size());
}

/// Calls `step` until the stream ends, and collects the output.
std::string run(z_stream& stream, int (*step)(z_streamp, int), int flush, std::size_t limit) {
    std::string out;
    std::array<char, 16'384> buffer;
    for (int rc = Z_OK; rc != Z_STREAM_END;) {
        stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
        stream.avail_out = static_cast<uInt>(buffer.size());
        rc = step(&stream, flush);
        if (rc != Z_OK && rc != Z_STREAM_END) throw std::runtime_error("damaged or incomplete gzip data");
        out.append(buffer.data(), buffer.size() - stream.avail_out);
        if (out.size() > limit) throw std::runtime_error("gzip data that is too large when unpacked");
    }
    return out;
}

} // namespace

std::string gzip(std::string_view data) {
    z_stream stream{};
    const StreamEnd end(&stream, &deflateEnd);
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_format, default_memory, Z_DEFAULT_STRATEGY) != Z_OK) {
        throw std::runtime_error("no memory to compress");
    }
    set_input(stream, data);
    return run(stream, &deflate, Z_FINISH, std::string::npos);
}

std::string gunzip(std::string_view packed) {
    std::string out;
    while (!packed.empty()) { // a gzip file may have several members
        z_stream stream{};
        const StreamEnd end(&stream, &inflateEnd);
        if (inflateInit2(&stream, gzip_format) != Z_OK) throw std::runtime_error("no memory to decompress");
        set_input(stream, packed);
        out += run(stream, &inflate, Z_NO_FLUSH, max_unpacked_size - out.size());
        packed.remove_prefix(packed.size() - stream.avail_in);
    }
    return out;
}

namespace {

bool applies(const ClientConfig& config, Compression compression) {
    return (compression == Compression::client_default ? config.compression : compression) == Compression::compressed;
}

/// Converts `data` with `convert`. On a failure, `data` stays unchanged.
error_code replace(std::string& data, const auto& convert) {
    try {
        data = convert();
        return {};
    } catch (const std::exception&) {
        return error::corrupt_data;
    }
}

} // namespace

error_code encode_data(const ClientConfig& config, const std::string& path, Compression compression, std::string& data) {
    if (!applies(config, compression)) return {};
    const auto& provider = config.compression_provider;
    return replace(data, [&] { return provider ? provider->compress(path, data) : gzip(data); });
}

error_code decode_data(const ClientConfig& config, const std::string& path, Compression compression, std::string& data) {
    if (!applies(config, compression) || data.empty()) return {};
    const auto& provider = config.compression_provider;
    return replace(data, [&] { return provider ? provider->decompress(path, data) : gunzip(data); });
}

} // namespace docent::detail
