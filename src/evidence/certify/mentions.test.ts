import { expect, test } from 'vitest'
import type { TreeReader } from '../../engine/index.ts'
import type { TreeId } from '../../loop/index.ts'
import { indexNames } from '../scope/references.ts'
import { findMentions } from './mentions.ts'

const base = 'base' as TreeId
const tree = 'tree' as TreeId
const tests = { has: () => false, index: indexNames([]) }

const inFile = (path: string, line: string): Promise<readonly string[]> => {
  const reader = {
    read: (of: TreeId) => Promise.resolve(new TextEncoder().encode(of === tree ? line : '')),
  } as unknown as TreeReader
  return findMentions(reader, base, tree, [path], tests)
}

test.each([
  ['a.js', 'for (const one of Object.values(require.cache)) change(one)'],
  ['a.js', 'const { prototype } = module.constructor'],
  ['a.js', "import Module, { register } from 'node:module'"],
  ['a.js', "const modules = process.getBuiltinModule('module')"],
  ['a.js', 'const test = executionAsyncResource()'],
  ['a.js', 'expect.addSnapshotSerializer(serializer)'],
  ['a.js', 'process.report.getReport()'],
  ['a.py', 'for module in list(sys.modules.values()):'],
  ['a.py', 'frames = traceback.extract_stack()'],
  ['a.py', 'sys.settrace(settle)'],
  ['a.rs', '#[no_mangle]'],
  ['a.rs', 'if std::thread::current().name() == Some("numbers") {'],
  ['a.rs', '#[export_name = "memcmp"]'],
])('code that reaches tests is named: %s %s', async (path, line) => {
  expect(await inFile(path, line)).toHaveLength(1)
})

test.each([
  ['a.js', "import { createRequire } from 'node:module'"],
  ['a.js', "import { createRequire, isBuiltin } from 'module'"],
  ['a.js', "new Worker(url, { type: 'module' })"],
  ['a.js', 'console.error(error.stack)'],
  ['a.js', 'this._cache.set(key, value)'],
  ['a.js', "parser.expect.name('comma')"],
  ['a.py', '__all__ = list(vars(sys.modules[__name__]))'],
  ['a.py', 'traceback.print_exc()'],
  ['a.rs', 'let id = thread::current().id();'],
  ['a.rs', 'pub extern "C" fn add() {}'],
])('ordinary code is not: %s %s', async (path, line) => {
  expect(await inFile(path, line)).toEqual([])
})
