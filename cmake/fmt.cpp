// Part of Tegula. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// {fmt} 9 compiled into our binaries from its headers, so that none of them needs libfmt where it runs. Instantiated are
// the templates that the headers declare and leave to the library.
#include <fmt/format-inl.h>

namespace fmt::detail {

template locale_ref::locale_ref(const std::locale &);
template std::locale locale_ref::get<std::locale>() const;
template thousands_sep_result<char> thousands_sep_impl(locale_ref);
template char decimal_point_impl(locale_ref);

} // namespace fmt::detail
