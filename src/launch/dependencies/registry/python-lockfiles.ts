/** Reads `requirements.txt`, `uv.lock` and `poetry.lock`. */

import { parse, stringify } from 'smol-toml'
import { z } from 'zod'
import {
  collectSources,
  isGitSource,
  type LockfileReading,
  type Sources,
  type ToEndpointUrl,
  tryParse,
} from './lockfile-reading.ts'

/** Dropped: the operator decides where packages come from. */
const indexOption = /^(?:-i|-f|--(?:index|extra|find|trusted|no-index)(?:-[a-z-]+)?\b)/

/** pip's format: requirements and options, each on one line or on several with `\`. */
export function readRequirements(text: string): LockfileReading {
  const sources = collectSources()
  const lines = text.replaceAll(/\\\r?\n/g, ' ').split(/\r?\n/)
  // Not the original text, which pip might parse differently, or for minutes.
  const kept = lines.flatMap((line) => {
    const plain = (line.split(/(?:^|\s)#/)[0] ?? '').trim()
    if (plain === '' || indexOption.test(plain)) return []
    collectRequirement(plain, sources)
    return [plain]
  })
  return sources.read(`${kept.join('\n')}\n`)
}

function collectRequirement(line: string, sources: Sources): void {
  const [, file] = /^(?:-[rc][\s=]*|--(?:req|con)[a-z]*[\s=]+)(\S+)/.exec(line) ?? []
  if (file !== undefined) return sources.path(file)
  const [, editable] = /^(?:-e[\s=]*|--ed[a-z]*[\s=]+)(\S+)/.exec(line) ?? []
  if (editable === undefined && line.startsWith('-')) return
  const wanted = editable ?? line
  const [, name = wanted, url] = /^([\w.[\],-]+)\s*@\s*(\S+)/.exec(wanted) ?? []
  const source = url ?? wanted
  if (isGitSource(source) || /^(?:hg|svn|bzr)\+/.test(source)) return sources.foreign(name, source)
  if (source.startsWith('file:')) return sources.path(source.replace(/^file:(?:\/\/)?/, ''))
  if (/^https?:/.test(source)) return sources.foreign(name, source)
  const isPath =
    /^[./~]/.test(source) || /\.(?:whl|zip|tar\.\w+)$/.test(source.split(/[\s;]/)[0] ?? '')
  if (isPath) sources.path((source.split(/[\s;[]/)[0] ?? source).replace(/^~/, '/'))
}

const file = z.looseObject({ url: z.string().optional() })
const uvPackage = z.looseObject({
  name: z.string(),
  source: z.record(z.string(), z.unknown()).optional(),
  sdist: file.optional(),
  wheels: z.array(file).optional(),
})
const uv = z.looseObject({ version: z.number(), package: z.array(uvPackage).optional() })

/** It contains the URLs of all files. */
export function readUvLockfile(text: string, toEndpointUrl: ToEndpointUrl): LockfileReading {
  const sources = collectSources()
  const parsed = uv.safeParse(tryParse(parse, text))
  if (!parsed.success) return { ...sources.read(text), problem: 'it is not a uv lockfile' }
  for (const { name, source = {}, sdist, wheels = [] } of parsed.data.package ?? []) {
    const path = source['editable'] ?? source['virtual'] ?? source['directory'] ?? source['path']
    if (typeof path === 'string') sources.path(path)
    else if (source['registry'] === undefined) {
      sources.foreign(name, JSON.stringify(source['git'] ?? source['url'] ?? source))
    }
    for (const one of [...wheels, ...(sdist === undefined ? [] : [sdist])]) {
      if (one.url === undefined) continue
      const endpointUrl = toEndpointUrl(one.url)
      if (endpointUrl === undefined) sources.foreign(name, one.url)
      else one.url = endpointUrl
    }
  }
  return sources.read(stringify(parsed.data))
}

const poetry = z.looseObject({
  package: z
    .array(
      z.looseObject({
        name: z.string(),
        source: z.looseObject({ type: z.string(), url: z.string() }).optional(),
      }),
    )
    .optional(),
})

export function readPoetryLockfile(text: string, toEndpointUrl: ToEndpointUrl): LockfileReading {
  const sources = collectSources()
  const parsed = poetry.safeParse(tryParse(parse, text))
  if (!parsed.success) return { ...sources.read(text), problem: 'it is not a Poetry lockfile' }
  for (const { name, source } of parsed.data.package ?? []) {
    if (source === undefined) continue
    const { type, url } = source
    if (type === 'directory' || type === 'file') sources.path(url)
    else if (type !== 'legacy' || toEndpointUrl(url) === undefined) sources.foreign(name, url)
  }
  return sources.read(text)
}
