// The agent of the stories: does what the data says, and nothing else. The turns are its last argument,
// as JSON; the prompt on its standard input says which of them it is. A move that cannot be made ends it
// with the exit code 97, so that no story passes because its trick was never played.

import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'

const prompt = readFileSync(0, 'utf8')
const turns = JSON.parse(process.argv.at(-1))
const number = Number(/^Turn (\d+)/m.exec(prompt)?.[1] ?? 1)
const {
  moves = [],
  says = 'Done. All tests pass.',
  exit = 0,
} = turns[Math.min(number, turns.length) - 1]

try {
  for (const move of moves) make(move)
} catch (error) {
  console.log(`stage: ${error.message}`)
  process.exit(97)
}
process.stdout.write(says === 'prompt' ? prompt : says)
process.exitCode = exit

function make(move) {
  if (move.write !== undefined) return write(move.write, move.text, move.mode)
  if (move.edit !== undefined) return edit(move)
  if (move.delete !== undefined) return rmSync(move.delete, { recursive: true })
  if (move.move !== undefined) return rename(move.move, move.to)
  if (move.link !== undefined) return link(move.link, move.to)
  if (move.chmod !== undefined) return chmodSync(move.chmod, move.mode)
  if (move.start !== undefined) return start(move.start)
  if (move.run === undefined) throw new Error(`no such move: ${JSON.stringify(move)}`)
  const { status, stderr } = spawnSync('/bin/sh', ['-c', move.run], { encoding: 'utf8' })
  if (status !== 0 && move.fails !== true) throw new Error(`${move.run}: ${stderr}`)
}

function write(path, text, mode) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  if (mode !== undefined) chmodSync(path, mode)
}

function edit({ edit: path, from, to }) {
  const text = readFileSync(path, 'utf8')
  if (!text.includes(from)) throw new Error(`${path} has no ${from}`)
  writeFileSync(
    path,
    text.replaceAll(from, () => to),
  )
}

function rename(from, to) {
  mkdirSync(dirname(to), { recursive: true })
  renameSync(from, to)
}

function link(path, to) {
  rmSync(path, { recursive: true, force: true })
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(to, path)
}

function start(script) {
  spawn('/bin/sh', ['-c', script], { detached: true, stdio: 'ignore' }).unref()
}
