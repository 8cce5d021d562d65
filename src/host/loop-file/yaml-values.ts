/**
 * YAML as plain values, with the place of each, or what is wrong with it. Whatever the text is, the
 * answer comes in time that grows with its length: the number of tokens and of levels is limited.
 */

import type * as Yaml from 'yaml'
import type { SourceText } from './source-text.ts'
import {
  depthMax,
  readNodes,
  tooDeep,
  type YamlModule,
  type YamlProblem,
  type YamlValue,
} from './yaml-nodes.ts'

const tokensMax = 100_000
const syntaxProblemsMax = 3

const parseOptions = {
  version: '1.2',
  schema: 'core',
  merge: false,
  resolveKnownTags: false,
  prettyErrors: false,
  // Compares each key with each other one; ours is below.
  uniqueKeys: false,
  // Any lower, and a second document is not told of.
  logLevel: 'error',
} as const

export function readYaml(yaml: YamlModule, { text }: SourceText): YamlValue {
  const nothing = { value: null, place: { at: 0 } }
  const tooMuch = tooManyTokens(yaml, text)
  if (tooMuch !== undefined) return { ...nothing, problems: [tooMuch] }
  const document = yaml.parseDocument(text, parseOptions)
  if (document.errors.length > 0) {
    return { ...nothing, problems: syntaxProblems(document.errors) }
  }
  const version = document.directives?.yaml.version
  if (version !== undefined && version !== '1.2') {
    const reason = `it says YAML ${version}: remove that line, a loop file is YAML 1.2`
    return { ...nothing, problems: [{ at: 0, path: [], reason }] }
  }
  const { contents } = document
  if (contents === null) return { ...nothing, problems: [] }
  return readNodes(yaml, contents)
}

/** Much of the work on a document is done before anything of it can be looked at. */
function tooManyTokens(yaml: YamlModule, text: string): YamlProblem | undefined {
  let at = 0
  let tokens = 0
  let depth = 0
  for (const token of new yaml.Lexer().lex(text)) {
    if (token === '[' || token === '{') depth++
    if (token === ']' || token === '}') depth--
    if (depth > depthMax) return { at, path: [], reason: tooDeep }
    if (++tokens > tokensMax) {
      return { at, path: [], reason: 'there is too much in this file: move long texts to files' }
    }
    // Marks that the reader puts between tokens are not in the text.
    if (!marks.has(token)) at += token.length
  }
  return undefined
}

const marks: ReadonlySet<string> = new Set(['\u0002', '\u0018', '\u001f'])

/** One slip makes a reader of YAML stumble over all that follows: the first few are what helps. */
function syntaxProblems(errors: readonly Yaml.YAMLError[]): YamlProblem[] {
  const lost = errors.findIndex(({ code }) => code === 'UNEXPECTED_TOKEN')
  const told = lost === -1 ? errors : errors.slice(0, lost + 1)
  return told
    .slice(0, syntaxProblemsMax)
    .map(({ pos, code, message }) => ({ at: pos[0], path: [], reason: reasonOf(code, message) }))
}

function reasonOf(code: Yaml.ErrorCode, message: string): string {
  switch (code) {
    case 'RESOURCE_EXHAUSTION':
      return tooDeep
    case 'MULTIPLE_DOCS':
      return 'a second document begins here: a loop file is one, so remove the line ---'
    case 'TAB_AS_INDENT':
      return 'a tab is used to indent: use spaces'
    case 'UNEXPECTED_TOKEN':
      return `this is not YAML: nothing like this can stand here. ${whereToLook}`
    case 'IMPOSSIBLE':
      return `this is not YAML. ${whereToLook}`
    default:
      return `this is not YAML: ${message.replace(/\s+/g, ' ')}`
  }
}

const whereToLook = 'Check quotes, brackets and indentation, here and in the lines above'
