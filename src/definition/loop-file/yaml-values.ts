/**
 * Parses YAML to plain values with positions, or to a list of problems. Takes about a second at most, whatever the text.
 */

import type * as Yaml from 'yaml'
import type { SourceText } from './source-text.ts'
import {
  readNodes,
  tooDeep,
  type YamlModule,
  type YamlProblem,
  type YamlValue,
} from './yaml-nodes.ts'
import { sizeProblem } from './yaml-size.ts'

const syntaxProblemsMax = 3

const parseOptions = {
  version: '1.2',
  schema: 'core',
  merge: false,
  resolveKnownTags: false,
  prettyErrors: false,
  // The library's check is quadratic; duplicates are found in yaml-nodes.ts.
  uniqueKeys: false,
  // At a lower level, a second document would not be reported.
  logLevel: 'error',
} as const

export function readYaml(yaml: YamlModule, { text }: SourceText): YamlValue {
  const nothing = { value: null, place: { at: 0 } }
  const tooMuch = sizeProblem(yaml, text)
  if (tooMuch !== undefined) return { ...nothing, problems: [tooMuch] }
  const document = parse(yaml, text)
  if ('reason' in document) return { ...nothing, problems: [document] }
  if (document.errors.length > 0) {
    return { ...nothing, problems: syntaxProblems(document.errors) }
  }
  const version = document.directives?.yaml.version
  if (version !== undefined && version !== '1.2') {
    const reason = `it declares YAML ${version}: remove that line, a loop file is YAML 1.2`
    return { ...nothing, problems: [{ at: 0, path: [], reason }] }
  }
  const { contents } = document
  if (contents === null) return { ...nothing, problems: [] }
  return readNodes(yaml, contents)
}

/** The library returns errors as data. If it throws anyway, that becomes a problem too. */
function parse(yaml: YamlModule, text: string): Yaml.Document.Parsed | YamlProblem {
  try {
    return yaml.parseDocument(text, parseOptions)
  } catch (error) {
    const reason = error instanceof RangeError ? tooDeep : `this is not YAML. ${whereToLook}`
    return { at: 0, path: [], reason }
  }
}

/** One mistake causes many follow-up errors, so only the first few are shown. */
function syntaxProblems(errors: readonly Yaml.YAMLError[]): YamlProblem[] {
  const lost = errors.findIndex(({ code }) => code === 'UNEXPECTED_TOKEN')
  const relevant = lost === -1 ? errors : errors.slice(0, lost + 1)
  return relevant
    .slice(0, syntaxProblemsMax)
    .map(({ pos, code, message }) => ({ at: pos[0], path: [], reason: reasonOf(code, message) }))
}

function reasonOf(code: Yaml.ErrorCode, message: string): string {
  switch (code) {
    case 'RESOURCE_EXHAUSTION':
      return tooDeep
    case 'MULTIPLE_DOCS':
      return 'a second document starts here, but a loop file is one document: remove the line ---'
    case 'TAB_AS_INDENT':
      return 'a tab is used to indent: use spaces'
    case 'UNEXPECTED_TOKEN':
      return `this is not YAML: unexpected text. ${whereToLook}`
    case 'IMPOSSIBLE':
      return `this is not YAML. ${whereToLook}`
    default:
      return `this is not YAML: ${message.replace(/\s+/g, ' ')}`
  }
}

const whereToLook = 'Check quotes, brackets and indentation, here and in the lines above'
