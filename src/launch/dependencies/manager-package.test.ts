import { expect, test } from 'vitest'
import { findManagerForFormat, parseManagerPackage } from './manager-package.ts'

test.each([
  ['pnpm@9.1.0', 'pnpm', 'pnpm', '9.1.0'],
  ['pnpm@9.1.0+sha512.abc', 'pnpm', 'pnpm', '9.1.0'],
  ['yarn@1.22.22', 'yarn', 'yarn', '1.22.22'],
  ['yarn@4.5.3', 'yarn', '@yarnpkg/cli-dist', '4.5.3'],
])('%s is installed from its npm package', (text, manager, name, version) => {
  expect(parseManagerPackage(text, manager)).toMatchObject({ package: name, version })
})

test.each([
  [undefined, 'pnpm'],
  ['pnpm', 'pnpm'],
  ['pnpm@latest', 'pnpm'],
  ['pnpm@9', 'pnpm'],
  ['pnpm@9.1.0 --evil', 'pnpm'],
  ['yarn@4.5.3', 'pnpm'],
  ['npm@10.0.0', 'npm'],
])('%s names no version of %s', (text, manager) => {
  expect(parseManagerPackage(text, manager)).toBeUndefined()
})

test.each([
  ['yarn', '# yarn lockfile v1\n', 'yarn@1.22.22'],
  ['yarn', '__metadata:\n  version: 8\n', 'yarn@4.5.3'],
  ['pnpm', "lockfileVersion: '9.0'\n", 'pnpm@9.15.0'],
  ['pnpm', 'lockfileVersion: 5.4\n', undefined],
])('%s in the format %j is %s', (manager, text, version) => {
  expect(findManagerForFormat(manager, text)).toBe(version)
})
