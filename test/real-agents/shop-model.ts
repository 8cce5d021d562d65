/**
 * The scripted model of the build stories. As the maker it does the task in its prompt, as the reviewer it first tries to
 * change what it judges. It decides by the conversation alone, whichever program sends it.
 */

import type { ModelAnswer, ModelRequest } from '../../src/testing/index.ts'
import { saying, shellCall } from './real-programs.ts'

export type Talk = (request: ModelRequest) => ModelAnswer

/** The prompt of the loop, and what its commands printed. */
export interface Conversation {
  readonly prompt: string
  readonly all: string
}

/** Every text in a request, decoded: the formats nest them differently. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsIn)
}

export function readConversation({ body }: Pick<ModelRequest, 'body'>): Conversation {
  const texts = textsIn(body)
  const isOurs = (text: string): boolean =>
    text.includes('You build software from a specification') || isReview(text)
  return { prompt: texts.findLast(isOurs) ?? '', all: texts.join('\n') }
}

export const isReview = (text: string): boolean =>
  text.includes('You review one task of a plan that another agent implemented.')

/** What a command prints between these is its output: the command itself is in the conversation too. */
const begin = 'output""-begins'
const end = 'output""-ends'
const output = /output-begins\n([\s\S]*?)output-ends/

/** Has one command run, whatever its exit code, then answers with what it printed. */
export function afterRunning(
  request: ModelRequest,
  command: string,
  answer: (printed: string) => string,
): ModelAnswer {
  const { all } = readConversation(request)
  const printed = output.exec(all)?.[1]
  if (printed !== undefined) return saying(answer(printed))
  return (
    shellCall(request, `echo ${begin}; ${command}; echo ${end}`) ?? saying('There is no shell.')
  )
}

export const tokenIn = ({ prompt }: Pick<Conversation, 'prompt'>): string =>
  [...prompt.matchAll(/"token": "([0-9a-f]{32})"/g)].at(-1)?.[1] ?? 'none'

export const verdictBlock = (
  verdict: 'pass' | 'fail',
  conversation: Conversation,
  why = '',
): string => {
  const reasons = why === '' ? [] : [{ text: why }]
  const answer = JSON.stringify({ token: tokenIn(conversation), verdict, reasons })
  return `\`\`\`json\n${answer}\n\`\`\``
}

interface Part {
  readonly name: string
  readonly body: string
  readonly check: string
}

/** Task 2 lacks its test until a review says so, and task 3 has a wrong sum until the runner notes say so. */
function partOf(task: number, prompt: string): Part & { readonly isTested: boolean } {
  const isFirst = {
    review: !prompt.includes('No test for cart'),
    check: !prompt.includes('1 == 0'),
  }
  const parts: Readonly<Record<number, Part>> = {
    1: {
      name: 'price',
      body: 'export const price = (item) => item.cents * item.count',
      check: 'assert.equal(part.price({ cents: 250, count: 2 }), 500)',
    },
    2: {
      name: 'cart',
      body: 'export const add = (cart, item) => [...cart, item]',
      check: 'assert.deepEqual(part.add([], 1), [1])',
    },
  }
  const total: Part = {
    name: 'total',
    body: `export const total = (cart) => cart.reduce((sum, item) => sum + item.cents, ${isFirst.check ? 1 : 0})`,
    check: 'assert.equal(part.total([]), 0)',
  }
  return { ...(parts[task] ?? total), isTested: task !== 2 || !isFirst.review }
}

const implement = (request: ModelRequest, { prompt }: Conversation): ModelAnswer => {
  const task = Number(/^## Your task \((\d+) of/m.exec(prompt)?.[1] ?? 0)
  const { name, body, check, isTested } = partOf(task, prompt)
  const uses = [
    'import assert from "node:assert"',
    `import * as part from "../src/${name}.mjs"`,
    check,
  ]
  const files = [
    [`src/${name}.mjs`, body],
    ...(isTested ? [[`test/${name}.test.mjs`, uses.join('\n')]] : []),
  ]
  const write = files.map(([path, text]) => `printf '%s\\n' '${text}' > ${path}`).join(' && ')
  return afterRunning(request, `mkdir -p src test && ${write}`, () => `Implemented task ${task}.`)
}

/** What a reviewer could want to change. */
const changes: Readonly<Record<string, string>> = {
  'a new file': 'echo planted > src/planted.mjs',
  'a file': 'echo planted >> README.md',
  'the plan': 'echo planted >> specs/planning/shop-plan.md',
  'a sealed file': 'echo planted >> tools/check.mjs',
  'the link to the repository': 'echo planted > .git',
  'a file to remove': 'rm README.md',
  'a tag': 'git tag planted',
}
const tamper = [
  ...Object.entries(changes).map(
    ([what, command]) =>
      `if (${command}) 2>/dev/null; then echo "changed ${what}"; else echo "refused ${what}"; fi`,
  ),
  'echo tests: $(ls test)',
].join('; ')

/** Passes a task if there is a test for the file that it names. */
const review = (request: ModelRequest, conversation: Conversation): ModelAnswer => {
  const name = /^## The task\n\n.*src\/(\w+)\.mjs/m.exec(conversation.prompt)?.[1]
  return afterRunning(request, tamper, (printed) => {
    const isTested = printed.includes(`${name}.test.mjs`)
    const verdict = isTested
      ? verdictBlock('pass', conversation)
      : verdictBlock('fail', conversation, `No test for ${name}.`)
    return `I read the files.\n${verdict}`
  })
}

export const shopModel: Talk = (request) => {
  const conversation = readConversation(request)
  if (conversation.prompt === '') return saying('Shop')
  return isReview(conversation.prompt)
    ? review(request, conversation)
    : implement(request, conversation)
}

export const allRefused: readonly string[] = Object.keys(changes).map((what) => `refused ${what}`)

/** What each reviewer could change, as its command printed it. */
export const attemptsOf = (requests: readonly ModelRequest[]): readonly (readonly string[])[] =>
  requests.map(readConversation).flatMap(({ prompt, all }) => {
    const printed = isReview(prompt) ? output.exec(all)?.[1] : undefined
    if (printed === undefined) return []
    return [printed.split('\n').filter((line) => /^(?:changed|refused) /.test(line))]
  })
