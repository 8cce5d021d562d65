// The client for pages is bundled for a browser: it needs nothing of Node, and no schemas.

import { readdirSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { build, type Plugin } from 'vite'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')

/** The modules that a file needs in a browser. */
async function bundle(entry: string): Promise<readonly string[]> {
  const modules = new Set<string>()
  const collect: Plugin = {
    name: 'collect',
    enforce: 'pre',
    resolveId(specifier) {
      if (specifier.startsWith('node:')) modules.add(specifier)
      return null
    },
    buildEnd() {
      for (const id of this.getModuleIds()) modules.add(relative(root, id))
    },
  }
  await build({
    root: import.meta.dirname,
    configFile: false,
    logLevel: 'silent',
    plugins: [collect],
    build: { write: false, lib: { entry, formats: ['es'] } },
  })
  return [...modules]
}

const foreign = (modules: readonly string[]): readonly string[] =>
  modules.filter((id) => /^node:|node_modules|browser-external|src\/client\/node\//.test(id))

test('the client for pages needs nothing of Node, no package and no schemas', async () => {
  const modules = await bundle(join(import.meta.dirname, 'browser.ts'))
  expect(modules).toContain('src/client/fetch-transport.ts')
  expect(modules).toContain('src/client/streams.ts')
  expect(foreign(modules)).toEqual([])
})

test('what needs Node is in the folder node, and the entries for Node lead to it', async () => {
  const found = await bundle(join(import.meta.dirname, 'public.ts'))
  expect(foreign(found)).toContain('node:http')
  const entries = ['index.ts', 'public.ts', 'browser.ts']
  const others = readdirSync(import.meta.dirname).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !entries.includes(name),
  )
  const all = await Promise.all(others.map((name) => bundle(join(import.meta.dirname, name))))
  expect(others.filter((_, at) => foreign(all[at] ?? []).length > 0)).toEqual([])
}, 60_000)
