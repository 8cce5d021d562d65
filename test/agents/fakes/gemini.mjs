// Gemini CLI as it was observed to behave, and to misbehave. FAKE_MODE selects how.

import { play } from './recorded-program.mjs'

const withoutEnd = (all) => all.slice(0, all.lastIndexOf('{"type":"result"'))
const cutInTheEnd = (all) => all.slice(0, -40)
const goingOn = (all) => `${all}${all.split('\n').at(-3)}\n`
const retrying = (all) => all.slice(0, all.indexOf('{"type":"result"'))
const stopped = (all) => all.replace('"type":"file_not_found"', '"type":"stop_execution"')
const blocked = (all) => all.replace(/Loop detected[^"]*/, 'Agent execution blocked: no')
const amongNoise = (all) =>
  `\nWelcome!\n${all.replaceAll('\n', '\r\n\0\n{"type":"new_kind","deep":[[[]]]}\n[1,2]\n{"type":\n')}`

const attempt = 'Attempt 1 failed with status 500. Retrying with backoff... _ApiError: boom\n'

const modes = {
  done: { lines: 'done' },
  noisy: { lines: 'done', edit: amongNoise, stderr: '{"type":"result","status":"success"}\n' },
  'failed-tool': { lines: 'failed-tool' },
  401: { lines: '401', exit: 145 },
  500: { lines: '500', exit: 244 },
  empty: { lines: 'empty' },
  wordless: { lines: 'wordless' },
  'cut-off': { lines: 'cut-off' },
  'model-refused': { lines: 'model-refused' },
  'max-turns': { lines: 'max-turns', exit: 53 },
  circles: { lines: 'circles' },
  refused: { lines: 'refused' },
  'not-trusted': { exit: 55, stderr: 'Gemini CLI is not running in a trusted directory.\n' },
  'no-login': { exit: 41, stderr: 'Please set an Auth method\n' },
  'no-prompt': { exit: 42, stderr: 'No input provided via stdin.\n' },
  terminated: { lines: 'done', edit: withoutEnd, exit: 143 },
  // Not recorded: variations of the above.
  'status-alone': { exit: 173, stderr: 'slow\n' },
  blocked: { lines: 'circles', edit: blocked },
  stopped: { lines: 'failed-tool', edit: stopped },
  'error-exit-0': { lines: '500' },
  'done-exit-1': { lines: 'done', exit: 1 },
  'done-killed': { lines: 'done', kill: 'SIGKILL' },
  'no-result': { lines: 'done', edit: withoutEnd },
  'result-cut': { lines: 'done', edit: cutInTheEnd },
  'goes-on': { lines: 'done', edit: goingOn },
  nothing: {},
  'not-started': { exit: 1, stderr: 'An unexpected critical error occurred:\n' },
  retrying: { lines: '500', edit: retrying, stderr: attempt, hang: true },
  silent: { lines: 'done', edit: withoutEnd, hang: true },
  'silent-at-once': { hang: true },
  lingers: { lines: 'done', hang: true },
  'lingers-failed': { lines: '500', hang: true },
}

await play(
  'gemini',
  modes[process.env.FAKE_MODE],
  ['--output-format', 'stream-json', '--skip-trust', 'yolo'],
  ['GEMINI_API_KEY', 'GOOGLE_GEMINI_BASE_URL', 'GEMINI_CLI_SYSTEM_SETTINGS_PATH'],
)
