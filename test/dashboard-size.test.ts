// The dashboard as it is built: small enough to load at once, and nothing in it that a browser has not.

import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'

const built = resolve(import.meta.dirname, '../dist/dashboard')
const firstLoadMax = 150 * 1024

const page = readFileSync(join(built, 'index.html'), 'utf8')
const assets = readdirSync(join(built, 'assets'))
const read = (name: string): Buffer => readFileSync(join(built, 'assets', name))

/** What the page loads before it shows anything: what it names, and what that imports at once. */
function firstLoad(): readonly string[] {
  const loaded = new Set(
    [...page.matchAll(/\/ui\/assets\/([\w.-]+)/g)].map(([, name = '']) => name),
  )
  for (const name of loaded) {
    if (!name.endsWith('.js')) continue
    for (const [, next = ''] of read(name)
      .toString()
      .matchAll(/(?:from|import)\s*["']\.\/([\w.-]+)["']/g)) {
      loaded.add(next)
    }
  }
  return [...loaded]
}

test('the first load is at most 150 KB, compressed', () => {
  const names = firstLoad()
  expect(names.some((name) => name.endsWith('.js'))).toBe(true)
  const bytes = names.reduce((sum, name) => sum + gzipSync(read(name)).length, 0)
  expect(bytes).toBeLessThanOrEqual(firstLoadMax)
})

test('diffs are loaded when they are shown', () => {
  const others = assets.filter((name) => name.endsWith('.js') && !firstLoad().includes(name))
  expect(others.some((name) => name.startsWith('diff-view'))).toBe(true)
})

test('it has no schemas, nothing of Node, and no way to make HTML of text', () => {
  const code = assets.filter((name) => name.endsWith('.js')).map((name) => read(name).toString())
  const own = code.join('\n')
  expect(own).not.toMatch(/__vite-browser-external|from\s*["']node:/)
  expect(own).not.toMatch(/\bZodError\b|\$ZodType/)
  expect(page).not.toMatch(/<script(?![^>]*\bsrc=)/)
})

test('its sources never make HTML of text', () => {
  const sources = resolve(import.meta.dirname, '../src/dashboard')
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.tsx?$/.test(name),
  )
  expect(files.length).toBeGreaterThan(20)
  const found = files.filter((name) =>
    /dangerouslySetInnerHTML|innerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/.test(
      readFileSync(join(sources, name), 'utf8'),
    ),
  )
  expect(found).toEqual([])
})
