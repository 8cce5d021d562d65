import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { pythonRegistry } from './python-routes.ts'

const home = mkdtempSync(join(tmpdir(), 'loopwright-python-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))
mkdirSync(join(home, 'wheels'))
mkdirSync(join(home, 'pypi', 'simple'), { recursive: true })
const none = { PIP_CONFIG_FILE: '/dev/null' }

test("the operator's index is reached through the endpoint", () => {
  const { env, readOnly } = pythonRegistry({ ...none, PIP_INDEX_URL: 'https://a:b@c/simple' }, home)
  expect(env['PIP_INDEX_URL']).toBe('http://127.0.0.1:4142/pypi/0/')
  expect(JSON.stringify(env)).not.toContain('a:b')
  expect(readOnly).toEqual([])
})

test('local folders of wheels and indexes are mounted unchanged', () => {
  const simple = `file://${home}/pypi/simple`
  const { env, readOnly } = pythonRegistry(
    { ...none, PIP_FIND_LINKS: join(home, 'wheels'), PIP_EXTRA_INDEX_URL: simple },
    home,
  )
  expect(env['PIP_FIND_LINKS']).toBe(join(home, 'wheels'))
  expect(env['PIP_EXTRA_INDEX_URL']).toBe(simple)
  expect(readOnly).toEqual([join(home, 'pypi'), join(home, 'wheels')])
})

test('a setting of pip may span several lines', () => {
  const file = join(home, 'pip.conf')
  writeFileSync(
    file,
    `[global]\nfind-links =\n    ${home}/wheels\n    https://example.com/wheels\n`,
  )
  const { env } = pythonRegistry({ PIP_CONFIG_FILE: file }, home)
  expect(env['PIP_FIND_LINKS']).toBe(join(home, 'wheels'))
})

test('a local index replaces the public one', () => {
  const simple = `file://${home}/pypi/simple`
  expect(pythonRegistry({ ...none, PIP_INDEX_URL: simple }, home).env['PIP_INDEX_URL']).toBe(simple)
})
