import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { parseNpmrc, publicRegistry, readNpmSettings } from './npm-settings.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function machine(user: string, global = ''): { home: string; node: string } {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-npmrc-'))
  folders.push(folder)
  mkdirSync(join(folder, 'etc'))
  mkdirSync(join(folder, 'bin'))
  writeFileSync(join(folder, '.npmrc'), user)
  writeFileSync(join(folder, 'etc', 'npmrc'), global)
  return { home: folder, node: join(folder, 'bin', 'node') }
}

test('without settings, the public registry is used without credentials', () => {
  const { registries, isStrictSsl } = readNpmSettings({ ...machine(''), env: {} })
  expect(registries).toEqual([{ url: publicRegistry, headers: {} }])
  expect(isStrictSsl).toBe(true)
})

test('a variable overrides the settings of the user, which override those of the machine', () => {
  const at = machine('registry=http://user.example/npm', 'registry=http://machine.example/\n')
  expect(readNpmSettings({ ...at, env: {} }).registries[0]?.url).toBe('http://user.example/npm/')
  const env = { npm_config_registry: 'http://env.example/' }
  expect(readNpmSettings({ ...at, env }).registries[0]?.url).toBe('http://env.example/')
})

test('each scope can have a registry with its own credentials', () => {
  const at = machine(
    [
      '@acme:registry=https://npm.acme.example/private',
      '//npm.acme.example/:_authToken=${ACME_TOKEN}',
      '//registry.npmjs.org/:_auth=dXNlcjpwYXNz',
    ].join('\n'),
  )
  expect(readNpmSettings({ ...at, env: { ACME_TOKEN: 's3cret' } }).registries).toEqual([
    { url: publicRegistry, headers: { authorization: 'Basic dXNlcjpwYXNz' } },
    {
      scope: '@acme',
      url: 'https://npm.acme.example/private/',
      headers: { authorization: 'Bearer s3cret' },
    },
  ])
})

test('credentials of another host or of a deeper path are not used', () => {
  const at = machine(
    [
      'registry=https://npm.example/a/',
      '//npm.example/a/b/:_authToken=deeper',
      '//npm.example.evil/:_authToken=other',
    ].join('\n'),
  )
  expect(readNpmSettings({ ...at, env: {} }).registries[0]?.headers).toEqual({})
})

test('a username and a password are sent as Basic authorization', () => {
  const password = Buffer.from('pass').toString('base64')
  const at = machine(
    `registry=https://npm.example/\n//npm.example/:username=ada\n//npm.example/:_password=${password}`,
  )
  expect(readNpmSettings({ ...at, env: {} }).registries[0]?.headers).toEqual({
    authorization: `Basic ${Buffer.from('ada:pass').toString('base64')}`,
  })
})

test('comments, quotes and lone carriage returns are parsed as npm does', () => {
  const text = '; no=1\n# no=2\na = "b c"\rgit=evil\r\nempty=\n'
  expect(parseNpmrc(text)).toEqual(
    new Map([
      ['a', 'b c'],
      ['git', 'evil'],
      ['empty', ''],
    ]),
  )
})
