/** Finds lines added by the work that mention tests, the test runner, what it sets, or the stack. */

import type { TreeReader } from '../../engine/index.ts'
import type { TreeId } from '../../loop/index.ts'
import { findTestReferences, type TestFiles } from './test-files.ts'

const markers =
  /\b(?:NODE_TEST_CONTEXT|VITEST(?:_\w+)?|JEST_WORKER_ID|PYTEST_CURRENT_TEST|npm_lifecycle_event|npm_lifecycle_script|MOCHA_WORKER_ID|AVA_PATH|TAP_\w+|CARGO_TARGET_TMPDIR|__vitest_worker__|loopwright)\b|["'](?:pytest|_pytest|unittest)["'] in sys\.modules|\bcfg!?\((?:not\()?test\)|\btesting\.Testing\(\)|\bflag\.Lookup\(["']test\.|\bError\([^)]*\)\.stack\b|\bcaptureStackTrace\b|\bprepareStackTrace\b|\bsys\._getframe\b|\binspect\.(?:stack|currentframe|getsource\w*|findsource)\b|\blinecache\b|\bgc\.get_(?:objects|referrers)\b|\brequire\.main\s*\??\.|\bmodule\.parent\b|\bexpect\.getState\b|\w\.caller\b(?!\s*\()|\barguments\.callee\b|\bruntime\.Callers?\(|\bdebug\.(?:Stack|PrintStack)\(|\bLocation::caller\(|\bBacktrace::(?:force_)?capture\(|\bPYTEST_ADDOPTS\b|\/proc\/self\b/

const linesMax = 20
const bytesMax = 1024 * 1024

/** A test module inside a product file is not code that detects its tests. */
const testModule = /^\s*#\[cfg\(test\)\]\s*$/

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
      const marker = known.has(line) || testModule.test(line) ? undefined : markers.exec(line)?.[0]
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
