import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

interface FindTestFile {
  findRustFile(folder: string, binary: string, test: string, compiled?: readonly string[]): string
  readSources(binary: string): readonly string[]
}

const built = '../../../dist/evidence/identity/inside/find-test-file.cjs'
const { findRustFile, readSources } = createRequire(import.meta.url)(built) as FindTestFile

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
const find = (crate: string, name: string, compiled?: readonly string[]): string =>
  findRustFile(folder, `${crate}${hash}`, name, compiled).replace(`${folder}/`, '')

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

test('tells tests of the same name apart by the sources of their binaries', async () => {
  const deps = (sources: string): string =>
    `/t/shop: ${sources}\n\n${sources.replaceAll(/\S+/g, '$&:\n')}\n`
  await write({
    'Cargo.toml': '[package]\nname = "shop"\n',
    'src/lib.rs': 'fn one() {}',
    'tests/shop.rs': 'fn one() {}',
    'deps/shop-1.d': deps('src/lib.rs src/money.rs').replaceAll('\n ', '\n'),
    'deps/shop-2.d': deps('crates/shop/tests/shop.rs'),
  })
  const own = readSources(join(folder, 'deps/shop-1'))
  expect(own).toEqual(['src/lib.rs', 'src/money.rs'])
  expect(find('shop', 'one', own)).toBe('src/lib.rs')
  expect(find('shop', 'one', ['tests/shop.rs'])).toBe('tests/shop.rs')
  expect(readSources(join(folder, 'deps/shop-2'))).toEqual(['crates/shop/tests/shop.rs'])
  expect(readSources(join(folder, 'deps/none'))).toEqual([])
})
