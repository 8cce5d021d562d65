/** Finds lines added by the work that mention tests, the test runner, what it sets, the stack, or ways to change what others load. */

import type { TreeReader } from '../../engine/index.ts'
import type { TreeId } from '../../loop/index.ts'
import { findTestReferences, type TestFiles } from './test-files.ts'

/** What code that is not under test has no use for. */
const markers = new RegExp(
  [
    // Variables, flags and modules by which tests are known.
    /\b(?:NODE_TEST_CONTEXT|VITEST(?:_\w+)?|JEST_WORKER_ID|PYTEST_CURRENT_TEST|PYTEST_ADDOPTS|npm_lifecycle_event|npm_lifecycle_script|MOCHA_WORKER_ID|AVA_PATH|TAP_\w+|CARGO_TARGET_TMPDIR|__vitest_worker__|loopwright)\b/,
    /\bcfg!?\((?:not\()?test\)|\btesting\.Testing\(\)|\bflag\.Lookup\(["']test\./,
    // The stack, and what runs now.
    /\bError\([^)]*\)\.stack\b|\bcaptureStackTrace\b|\bprepareStackTrace\b|\w\.caller\b(?!\s*\()|\barguments\.callee\b|\bexecutionAsyncResource\b|\breport\.getReport\b/,
    /\bsys\._getframe\b|\binspect\.(?:stack|currentframe|getsource\w*|findsource)\b|\blinecache\b|\btb_frame\b|\bf_back\b|\btraceback\.(?:extract_stack|format_stack|walk_stack|print_stack)\b/,
    /\bruntime\.Callers?\(|\bdebug\.(?:Stack|PrintStack)\(|\bLocation::caller\(|\bcurrent\(\)\.name\(|\bBacktrace::(?:force_)?capture\(|\/proc\/self\b/,
    // Modules that are loaded, and hooks that load others: through them, code reaches tests and what they expect.
    /\brequire\.(?:main\s*\??\.|cache\b|extensions\b)|\bmodule\.(?:parent|children|constructor)\b|\bprocess\.(?:mainModule|moduleLoadList)\b/,
    /(?:\bfrom\s|\b(?:require|import|getBuiltinModule)\()\s*["'](?:node:)?module["']/,
    /\bsys\.modules\b(?!\[__name__\])|\bsys\.(?:meta_path|path_hooks|settrace|setprofile)\b|\bgc\.get_(?:objects|referrers)\b/,
    // The runner's own functions.
    /(?<![.\w])expect\.[a-z]/,
    // Symbols that the linker prefers to those of the C library, which compares and exits.
    /\bno_mangle\b|\bexport_name\b|\bglobal_asm!|\blink_section\b/,
  ]
    .map(({ source }) => source)
    .join('|'),
)

/** These find modules, and change nothing. */
const harmlessImport =
  /^\s*import\s*\{(?:\s|,|createRequire|builtinModules|isBuiltin|findPackageJSON)*\}\s*from\s*["'](?:node:)?module["']/

const linesMax = 20
const bytesMax = 1024 * 1024

/** A test module inside a product file is not code that detects its tests. */
const testModule = /^\s*#\[cfg\(test\)\]\s*$/

const isHarmless = (line: string): boolean => testModule.test(line) || harmlessImport.test(line)

export async function findMentions(
  reader: TreeReader,
  base: TreeId,
  tree: TreeId,
  paths: readonly string[],
  tests: TestFiles,
): Promise<readonly string[]> {
  const found: string[] = []
  for (const path of paths) {
    const [before, after] = await Promise.all([
      readText(reader, base, path),
      readText(reader, tree, path),
    ])
    found.push(...findTestReferences(path, before, after, tests))
    const known = new Set(before.split('\n'))
    for (const [index, line] of after.split('\n').entries()) {
      const marker = isHarmless(line) || known.has(line) ? undefined : markers.exec(line)?.[0]
      if (marker !== undefined) found.push(`${path}:${index + 1} (${marker})`)
      if (found.length >= linesMax) return found
    }
  }
  return found
}

async function readText(reader: TreeReader, tree: TreeId, path: string): Promise<string> {
  const bytes = await reader.read(tree, path, bytesMax)
  return bytes === undefined ? '' : new TextDecoder().decode(bytes)
}
