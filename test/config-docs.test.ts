// docs/configuration.md names every setting and every key of `.loop/config`, and no others.

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { describeSettings } from '../src/definition/config/describe-settings.ts'
import { loopConfigKeys } from '../src/formats/loop-config-keys.ts'
import { defaultSettings } from '../src/protocol/config/config.ts'
import { configSchema } from '../src/protocol/config/config-schema.ts'
import { settingRules } from '../src/protocol/config/setting-rules.ts'

const page = readFileSync(resolve(import.meta.dirname, '../docs/configuration.md'), 'utf8')

test('every setting has its row, with its default', () => {
  const section = page.slice(page.indexOf('## Settings'), page.indexOf('## `.loop/config`'))
  const rows = [...section.matchAll(/^\| `([A-Za-z.]+)` +\| ([^|]*?) *\|/gm)].map(
    ([, name, value]) => [name, value],
  )
  expect(rows.map(([name]) => name)).toEqual(settingRules.map(({ name }) => name))
  const written = new Map(rows.map(([name, value]) => [name, value]))
  // The same as `config show` prints if nothing is set.
  for (const { name, text } of describeSettings({ settings: defaultSettings, origins: {} })) {
    expect([name, written.get(name)]).toEqual([name, text === '-' ? '' : text])
  }
})

test('every key of .loop/config is documented, and no others', () => {
  const section = page.slice(page.indexOf('## `.loop/config`'), page.indexOf('## Before anything'))
  const told = [...section.matchAll(/`([a-z]+(?:_[a-z]+)*)`/g)].map(([, key]) => key)
  const missing = Object.keys(loopConfigKeys).filter((key) => !told.includes(key))
  expect(missing).toEqual([])
})

test('the example is a configuration', async () => {
  const [, example = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? []
  const { parse } = await import('yaml')
  expect(configSchema.safeParse(parse(example)).success).toBe(true)
})
