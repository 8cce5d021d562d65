/** Which entries of this package the code of a loop can import. */

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { libraryEntries } from '../src/launch/code-loop/child/library-entries.ts'
import { loopText, open, typeOf, writeLoop } from './code-loop-fixture.ts'
import { newHost } from './host-fixture.ts'

const PackageFile = z.object({ exports: z.record(z.string(), z.unknown()) })
const Entry = z.object({ default: z.string() })

test('the entries that a loop can import are those of package.json', () => {
  const text = readFileSync(resolve(import.meta.dirname, '..', 'package.json'), 'utf8')
  const { exports } = PackageFile.parse(JSON.parse(text))
  const published = Object.entries(exports).flatMap(([path, target]) => {
    const entry = Entry.safeParse(target).data
    return entry === undefined ? [] : [`loopwright${path.slice(1)} ${entry.default}`]
  })
  const known = Object.entries(libraryEntries()).map(
    ([name, url]) => `${name} ./dist/${url.split(/\/(?:src|dist)\//).at(-1)}`,
  )
  expect(known).toEqual(published)
})

test('a loop can import every entry', async () => {
  const path = writeLoop({
    'loop.ts': loopText(
      'return [scriptedAgent, defineTool, openGateway, connect, createManualClock].map((one) => typeof one)',
      '',
      `import { scriptedAgent } from 'loopwright/agents'
import { defineTool } from 'loopwright/tools'
import { openGateway } from 'loopwright/gateway'
import { connect } from 'loopwright/client'
import { createManualClock } from 'loopwright/testing'`,
    ),
  })
  const loop = await open(path)
  const host = await newHost()
  await (await host.start(typeOf(loop), { input: null, name: 'entries' })).done
  const { progress } = (await host.inspect('entries')).state
  expect(progress).toEqual(Array.from({ length: 5 }, () => 'function'))
})
