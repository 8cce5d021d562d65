// A program that prints the recorded output of a real one, and ends as that did, or as configured.
// It starts only with arguments that the real one accepts. In hang mode it writes to a file how
// much it has printed, ignores every request to end, and has a child that does the same and holds
// its output open.

import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'

/** `how`: its lines, and then `exit` (a code), `hang`, or `kill` (a signal). */
export async function play(folder, how, flags, variables) {
  for (const flag of flags) {
    if (!process.argv.includes(flag)) refuse(`It may not be started without ${flag}.`)
  }
  for (const name of variables) {
    if ((process.env[name] ?? '') === '') refuse(`It needs ${name}.`)
  }
  if (process.env.HOME === process.env.NOT_HOME) refuse('It may not see that home.')
  if ((await text(process.stdin)) !== 'Do the task.') refuse('That is not its task.')
  if (how === undefined) refuse('It does not know how to behave.')
  if (how.hang) becomeDeaf()
  const { lines = '', edit = (all) => all, stderr = '' } = how
  const printed =
    lines === ''
      ? ''
      : readFileSync(new URL(`../fixtures/${folder}/${lines}.jsonl`, import.meta.url), 'utf8')
  await print(process.stderr, stderr)
  // Not line by line: a pipe has no lines.
  const bytes = Buffer.from(edit(printed))
  for (let from = 0; from < bytes.length; from += 700) {
    await print(process.stdout, bytes.subarray(from, from + 700))
  }
  if (how.hang) return writeFileSync('hanging', String(bytes.length))
  if (how.kill !== undefined) process.kill(process.pid, how.kill)
  else process.exitCode = how.exit ?? 0
}

function refuse(why) {
  console.error(why)
  process.exit(64)
}

const print = (stream, some) =>
  some.length === 0 ? undefined : new Promise((done) => stream.write(some, done))

function becomeDeaf() {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => {})
  setInterval(() => {}, 1000)
  const script = 'trap "" TERM INT HUP; while :; do sleep 1; done'
  spawn('sh', ['-c', script], { detached: true, stdio: ['ignore', 'inherit', 'inherit'] }).unref()
}
