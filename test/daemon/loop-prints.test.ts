// What the code of a loop prints: events of its run, the same with a daemon and without.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createNarrator } from '../../src/cli/display/narrate.ts'
import { createStyle } from '../../src/cli/terminal.ts'
import { connectInProcess } from '../../src/client/in-process.ts'
import { openInProcess } from '../../src/daemon/in-process/open-in-process.ts'
import { openScheduler } from '../../src/daemon/index.ts'
import { type Host, previewLoop, trustLoop } from '../../src/host/index.ts'
import { describeEvent, type RecordedEvent } from '../../src/loop/index.ts'
import { firstAfterStory } from '../after.ts'
import { loopText } from '../code-loop-fixture.ts'
import { newFolder, newHost } from '../host-fixture.ts'
import { share } from '../share.ts'

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined }
const settings = { maxConcurrentRuns: 1, maxRunsPerWorkspace: 1, queuePolicy: 'fifo' } as const

interface Printed {
  readonly events: readonly RecordedEvent[]
  /** The text of all of its `loop-printed` events. */
  readonly text: string
}

async function collect(events: AsyncIterable<RecordedEvent>): Promise<Printed> {
  const found: RecordedEvent[] = []
  for await (const recorded of events) {
    found.push(recorded)
    if (recorded.event.type === 'run-ended') break
  }
  const texts = found.flatMap(({ event }) => (event.type === 'loop-printed' ? [event.text] : []))
  return { events: found, text: texts.join('\n') }
}

async function writeFile(host: Pick<Host, 'folder'>, text: string): Promise<string> {
  const file = join(newFolder(), 'loop.ts')
  writeFileSync(file, text)
  await trustLoop(await previewLoop(file, host.folder), host.folder)
  return file
}

async function withDaemon(text: string): Promise<Printed> {
  const host = await newHost()
  const scheduler = await openScheduler({ host, log: quiet, settings })
  firstAfterStory(() => scheduler.drain(AbortSignal.abort()))
  const file = await writeFile(host, text)
  const { run } = await scheduler.submit({ file, workspace: newFolder(), attended: true })
  return collect(host.events(run.id))
}

async function inProcess(text: string): Promise<Printed & { readonly lines: readonly string[] }> {
  const lines: string[] = []
  const here = await openInProcess({
    folder: join(newFolder(), 'state'),
    signal: new AbortController().signal,
    onLine: (line) => void lines.push(line),
    onProblem: () => undefined,
  })
  firstAfterStory(() => here.close())
  const client = connectInProcess(here.answer, 'here')
  const file = await writeFile(here.host, text)
  const { run } = await client.createRun({ file, workspace: newFolder(), attended: true })
  return { ...(await collect(client.events(run.id))), lines }
}

const ways = [
  ['in process', inProcess],
  ['with a daemon', withDaemon],
] as const

describe.each(ways)('what the code of a loop prints, %s', (_name, run) => {
  test('is in the journal once, before the end of the run, and is shown', async () => {
    const body = `console.log('first line'); console.error('second'); await it.step('work', () => 1); console.log('last')`
    const { events, text } = await run(loopText(body, '', `console.log('loaded')`))
    expect(text.split('\n').toSorted()).toEqual(['first line', 'last', 'loaded', 'second'])
    expect(events.at(-1)?.event.type).toBe('run-ended')
    const printed = events.find(({ event }) => event.type === 'loop-printed')
    if (printed === undefined) throw new Error('nothing was printed')
    expect(describeEvent(printed.event)).toMatch(/^printed: /)
    const shown = createNarrator(createStyle(false)).tell(printed, {} as never)
    expect(shown[0]).toMatch(/^ {4}printed +\S/)
  })
})

test.each(share<readonly (typeof ways)[number][]>(ways, ways.slice(0, 1)))(
  'E9: what the code of a loop prints, %s, is cut off when it is too much, and the run still ends',
  async (_name, run) => {
    const body = `for (let n = 0; n < 20_000; n++) console.log('x'.repeat(1000))`
    const { text } = await run(loopText(body))
    expect(text).toContain('(too much output; the rest is not shown)')
    expect(text.length).toBeLessThan(300_000)
  },
)

test('what the code of a loop prints is not printed beside the run, in process', async () => {
  const { lines } = await inProcess(loopText(`console.log('hello')`, '', `console.log('loaded')`))
  expect(lines).toEqual([])
})

test('a variable that a loop names is masked in what it prints', async () => {
  process.env['LOOP_TEST_TOKEN'] = 'very-secret-value'
  firstAfterStory(() => void delete process.env['LOOP_TEST_TOKEN'])
  const body = `console.log('token ' + process.env.LOOP_TEST_TOKEN)`
  const { text } = await inProcess(loopText(body, `env: ['LOOP_TEST_TOKEN'],`))
  expect(text).toContain('token ')
  expect(text).not.toContain('very-secret-value')
})
