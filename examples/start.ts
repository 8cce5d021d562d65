/**
 * `npm start`: runs one example in the foreground and shows what happens. Stop it at any moment and
 * start it again: the run goes on where it was.
 */

import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describeEvent, type Host, isEnd, openHost, type RunHandle } from 'loopwright'
import { type Example, examples } from './index.ts'

const name = process.argv[2] ?? 'repair'
const chosen = Object.hasOwn(examples, name) ? examples[name] : undefined

if (chosen === undefined) {
  process.stderr.write(
    `There is no example "${name}". Choose one of: ${Object.keys(examples).join(', ')}\n`,
  )
  process.exitCode = 64
} else {
  process.exitCode = await main(chosen)
}

async function main(example: Example): Promise<number> {
  const host = await openHost()
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort())
  process.once('SIGTERM', () => stop.abort())
  try {
    const run = await startOrResume(host, example, stop.signal)
    process.stdout.write(
      `run ${run.name} (loop ${name}; its maker is scripted, no model is called)\n`,
    )
    // Events are read until the run ends; a run that is only suspended ends the reading by its signal.
    const reading = new AbortController()
    const shown = show(host, run, reading.signal)
    const end = await run.done
    if (end.type === 'suspended') reading.abort()
    await shown
    process.stdout.write(`\nThe record is in ${host.folder}. Look at it with:\n`)
    process.stdout.write(`  npx loopctl inspect ${run.name}\n  npx loopctl tail ${run.name}\n`)
    if (end.type === 'suspended') process.stdout.write('Go on with: npm start\n')
    return end.type === 'ended' && end.outcome.type === 'completed' ? 0 : 1
  } finally {
    await host.close()
  }
}

async function show(host: Host, run: RunHandle, signal: AbortSignal): Promise<void> {
  for await (const { event } of host.events(run.id, { signal })) {
    const depth = event.type.startsWith('run-') ? 0 : event.type.startsWith('iteration-') ? 1 : 2
    process.stdout.write(`${'  '.repeat(depth)}${describeEvent(event)}\n`)
  }
}

async function startOrResume(
  host: Host,
  example: Example,
  signal: AbortSignal,
): Promise<RunHandle> {
  const runs = await host.list()
  const open = runs.find((run) => run.loop === example.loop.name && !isEnd(run.status) && !run.held)
  if (open !== undefined) {
    return host.resume(open.id, example.loop, {
      ...example.parts(open.workspace),
      signal,
      force: false,
    })
  }
  const workspace =
    example.files === undefined ? undefined : makeWorkspace(host.folder, example.files)
  return host.start(example.loop, {
    ...example.parts(workspace),
    input: example.input,
    signal,
    ...(example.limits === undefined ? {} : { limits: example.limits }),
    ...(workspace === undefined ? {} : { workspace }),
  })
}

function makeWorkspace(folder: string, files: Readonly<Record<string, string>>): string {
  let number = 1
  while (existsSync(join(folder, 'examples', `${name}-${number}`))) number++
  const workspace = join(folder, 'examples', `${name}-${number}`)
  for (const [path, text] of Object.entries(files)) {
    const file = join(workspace, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  return workspace
}
