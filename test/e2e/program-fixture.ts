/**
 * A small fake Claude Code, installed as npm installs it: it calls its model, and does what the
 * test says.
 */

import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterFile } from '../after.ts'

/** With `ask`, `say` (an event) and `end` (the result), and its input in `prompt`. */
const opening = `#!/usr/bin/env node
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
if (process.argv.includes('--version')) {
  process.stdout.write('9.8.7 (Claude Code)\\n')
  process.exit(0)
}
const { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: key, HOME: home } = process.env
const prompt = readFileSync(0, 'utf8')
const say = (event) => process.stdout.write(JSON.stringify(event) + '\\n')
const model = process.argv.find((arg) => arg.startsWith('--model='))?.slice(8)
async function ask(content) {
  const body = JSON.stringify({ model, max_tokens: 500, messages: [{ role: 'user', content }] })
  const headers = { 'content-type': 'application/json', 'x-api-key': key }
  const response = await fetch(url + '/v1/messages', { method: 'POST', headers, body })
  const text = await response.text()
  const answer = response.ok ? JSON.parse(text).content[0].text : text
  say({ type: 'assistant', message: { id: 'm', model, content: [{ type: 'text', text: answer }] } })
  return answer
}
const end = (result, more = {}) =>
  say({ type: 'result', subtype: 'success', is_error: false, result, permission_denials: [], ...more })
say({ type: 'system', subtype: 'init', session_id: 's-1', model })
`

/** The folder to put on the PATH. */
export function installFake(program: string, version = '2.1.325'): string {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-programs-'))
  afterFile(() => rmSync(folder, { recursive: true, force: true }))
  const modules = join(folder, 'node_modules')
  const own = join(modules, '@anthropic-ai/claude-code')
  mkdirSync(own, { recursive: true })
  mkdirSync(join(modules, '.bin'))
  const manifest = { name: '@anthropic-ai/claude-code', version, type: 'module' }
  writeFileSync(join(own, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(own, 'cli.js'), `${opening}\n${program}\n`)
  chmodSync(join(own, 'cli.js'), 0o755)
  symlinkSync('../@anthropic-ai/claude-code/cli.js', join(modules, '.bin/claude'))
  return join(modules, '.bin')
}

export const withPath = (folder: string): { readonly PATH: string } => ({
  PATH: `${folder}:${process.env['PATH'] ?? ''}`,
})
