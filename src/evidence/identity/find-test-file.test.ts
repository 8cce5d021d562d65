import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

interface FindTestFile {
  findRustFile(folder: string, binary: string, test: string): string
}

const built = '../../../dist/evidence/identity/inside/find-test-file.cjs'
const { findRustFile } = createRequire(import.meta.url)(built) as FindTestFile

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loopwright-find-'))
})

afterEach(() => rm(folder, { recursive: true, force: true }))

const write = async (files: Readonly<Record<string, string>>): Promise<void> => {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), content)
  }
}

const hash = '-0123456789abcdef'
const find = (crate: string, name: string): string =>
  findRustFile(folder, `${crate}${hash}`, name).replace(`${folder}/`, '')

test('finds a Rust test where Cargo.toml says that the crate is', async () => {
  await write({
    'Cargo.toml':
      '[package]\nname = "fnv"\n\n[lib]\nname = "fnv"\npath = "lib.rs"\n\n[[test]]\nname = "all"\npath = "checks/whole.rs"\n',
    'lib.rs': 'mod deep;\nmod test { fn basic() {} }',
    'deep.rs': 'mod test { fn basic() {} }',
    'checks/whole.rs': 'fn whole() {}',
    'tests/one.rs': 'fn basic() {} fn only() {}',
    'target/made.rs': 'fn only() {}',
  })
  expect(find('fnv', 'test::basic')).toBe('lib.rs')
  expect(find('fnv', 'deep::test::basic')).toBe('deep.rs')
  expect(find('all', 'whole')).toBe('checks/whole.rs')
  expect(find('one', 'basic')).toBe('tests/one.rs')
  expect(find('fnv', 'only')).toBe('')
})

test('finds a Rust test below src', async () => {
  await write({
    'Cargo.toml': '[package]\nname = "shop"\n',
    'src/lib.rs': 'mod tests { fn x() {} }',
    'src/deep/mod.rs': 'mod tests { fn x() {} }',
  })
  expect(find('shop', 'tests::x')).toBe('src/lib.rs')
  expect(find('shop', 'deep::tests::x')).toBe('src/deep/mod.rs')
})

test('finds a Rust test below src if a file of tests has the name of the crate', async () => {
  await write({
    'Cargo.toml': '[package]\nname = "my-shop"\n',
    'src/lib.rs': 'mod tests { fn inner() {} }',
    'tests/my_shop.rs': 'fn outer() {}',
  })
  expect(find('my_shop', 'tests::inner')).toBe('src/lib.rs')
  expect(find('my_shop', 'outer')).toBe('tests/my_shop.rs')
})
