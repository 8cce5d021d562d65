/** The ways by which a text of others reaches a model: files, the input of the loop, tools, servers, checks, tests. */

import type { ModelSpeechCall } from '../../src/testing/model-wire.ts'

export interface Channel {
  readonly name: string
  /** Files of the repository. */
  files?(texts: readonly string[]): Readonly<Record<string, string>>
  /** Keys of the loop file instead of the usual ones. */
  loop?(texts: readonly string[], places: ChannelPlaces): Readonly<Record<string, unknown>>
  /** What the model calls in order to see the texts. */
  readonly look?: readonly ModelSpeechCall[]
  /** The text as the channel shows it. */
  shown?(text: string): string
  /** The model is asked by a program in the sandbox, through the gateway. */
  readonly isProgram?: true
}

export interface ChannelPlaces {
  readonly node: string
  readonly server: string
  readonly program: string
  /** Where the server tries to answer questions. */
  readonly targets: readonly string[]
}

const read = (path: string): readonly ModelSpeechCall[] => [{ name: 'read', args: { path } }]
const list = (texts: readonly string[]): string => texts.map((text) => `- ${text}\n`).join('')
const lines = (texts: readonly string[]): string => texts.map((text) => `${text}\n`).join('')

const inFile = (
  name: string,
  path: string,
  content: (texts: readonly string[]) => string,
): Channel => ({ name, files: (texts) => ({ [path]: content(texts) }), look: read(path) })

const serverOf =
  (mode: string): NonNullable<Channel['loop']> =>
  (texts, { node, server, targets }) => ({
    mcp: { help: { command: [node, server, mode, JSON.stringify({ texts, targets })] } },
  })

const files: readonly Channel[] = [
  inFile('README', 'README.md', (texts) => `# Project\n\n${list(texts)}`),
  inFile('a comment in the source', 'src/main.js', (texts) =>
    texts.map((text) => `// ${text}\n`).join(''),
  ),
  inFile('AGENTS.md', 'AGENTS.md', list),
  inFile('CLAUDE.md', 'CLAUDE.md', list),
  inFile('package.json', 'package.json', (texts) =>
    JSON.stringify({ name: 'project', description: texts.join(' '), keywords: texts }, null, 2),
  ),
  {
    name: 'names of files',
    files: (texts) => Object.fromEntries(texts.map((text) => [`docs/${fileName(text)}.md`, ''])),
    look: [{ name: 'list', args: { path: 'docs' } }],
    shown: fileName,
  },
]

/** A name cannot contain a slash. */
function fileName(text: string): string {
  return text.replaceAll('/', '_')
}

const issues: readonly Channel[] = [
  {
    name: 'an issue',
    loop: (texts) => ({
      input: { issue: lines(texts) },
      prompt: 'Resolve this issue:\n{{ input.issue }}\n{{ progress }}',
    }),
  },
]

const tools: readonly Channel[] = [
  {
    name: 'the output of a command',
    files: (texts) => ({ 'build.sh': `cat <<'END'\n${lines(texts)}END\n` }),
    look: [{ name: 'run', args: { command: 'sh build.sh' } }],
  },
  {
    name: 'a search in the files',
    files: (texts) => ({ 'notes/a.txt': lines(texts) }),
    look: [{ name: 'grep', args: { pattern: '.', path: 'notes' } }],
  },
  { name: 'a result of an MCP server', loop: serverOf('result'), look: [{ name: 'help__help' }] },
  { name: 'an error of an MCP server', loop: serverOf('error'), look: [{ name: 'help__help' }] },
  { name: 'the description of an MCP tool', loop: serverOf('description') },
]

const isDone = `require('node:fs').existsSync('done.txt')`

const checks: readonly Channel[] = [
  {
    name: 'the output of a check',
    files: (texts) => ({ 'report.txt': lines(texts) }),
    loop: () => ({
      checks: { done: { run: 'cat report.txt; test -f done.txt', existing: 'fix' } },
    }),
  },
  {
    name: 'the message of a failing test',
    files: (texts) => ({
      'test/work.test.js': [
        "const { test } = require('node:test')",
        `const message = ${JSON.stringify(lines(texts))}`,
        `test('work', () => { if (!${isDone}) throw Object.assign(new Error(message), { stack: message }) })`,
        '',
      ].join('\n'),
    }),
    loop: () => ({ checks: { done: { run: 'node --test test/', existing: 'fix' } } }),
  },
]

const programs: readonly Channel[] = [
  {
    name: 'README, read by an agent program behind the gateway',
    files: (texts) => ({ 'README.md': list(texts) }),
    loop: (_texts, { node, program }) => ({ agent: { command: [node, program] } }),
    isProgram: true,
  },
]

export const channels: readonly Channel[] = [...files, ...issues, ...tools, ...checks, ...programs]
