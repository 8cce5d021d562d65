/** File kinds by name: distinguishes code, styles and assets from data, which may be an expectation. */

import { findLanguageFamily } from '../mask-code.ts'

const groups: readonly (readonly [string, string])[] = [
  ['ts', 'ts tsx'],
  ['js', 'js jsx'],
  ['style', 'css scss sass less styl pcss'],
  ['image', 'svg png jpg jpeg gif webp avif ico bmp icns'],
  ['font', 'woff woff2 ttf otf eot'],
  ['media', 'mp3 mp4 webm ogg wav pdf'],
  [
    'template',
    'html htm ejs hbs pug njk jinja jinja2 j2 tmpl gotmpl liquid mustache erb twig haml',
  ],
  ['c', 'c h'],
  ['cpp', 'cc cpp cxx hpp hh'],
]

/** Each is a separate kind: a resolver may prefer one to another. */
const single =
  'mjs cjs mts cts vue svelte astro py pyi pyx rb go rs java kt kts cs fs scala groovy swift m mm php dart lua ex exs erl hrl clj cljs hs ml mli elm nim zig sql graphql gql proto wgsl glsl wasm s asm sh bash ps1 r jl pl pm'

const kinds: ReadonlyMap<string, string> = new Map([
  ...groups.flatMap(([kind, endings]) =>
    endings.split(' ').map((ending): [string, string] => [ending, kind]),
  ),
  ...single.split(' ').map((ending): [string, string] => [ending, ending]),
])

/** `data`: anything that is not known to be code, a style or an asset, including files without an extension. */
export const toFileKind = (path: string): string => kinds.get(extensionOf(path)) ?? 'data'

export const isData = (path: string): boolean => toFileKind(path) === 'data'

const contents = new Set(
  'style image font media template sql graphql gql proto wgsl glsl'.split(' '),
)

/** Known to be part of many products, but read by other code and not run: a test may read it as well. */
export const isContent = (path: string): boolean => contents.has(toFileKind(path))

const documents =
  /(?:\.(?:md|markdown|rst|adoc|asciidoc)|(?:^|\/)(?:readme|licen[cs]e|changelog|changes|history|news|authors|contributors|contributing|notice|copying)(?:\.txt)?)$/i

/** Text for a human reader. */
export const isDocument = (path: string): boolean => documents.test(path)

/** Files that may refer to others. */
export const isSource = (path: string): boolean =>
  findLanguageFamily(path) !== undefined ||
  /\.(?:vue|svelte|astro|html?|mdx|php|rb|ex|exs)$/i.test(path)

const shadowed = /^(.*?)(?:\/(?:index|__init__))?\.(?:[cm]?[jt]sx?|json|node|pyi?|vue|svelte)$/i

/** The name that an import without an extension uses: `src/sum.ts` and `src/sum/index.js` are both `src/sum`. */
export const importName = (path: string): string | undefined => {
  if (/\.d\.[cm]?ts$/i.test(path)) return undefined
  const name = shadowed.exec(path)?.[1]
  return name ?? (nameOf(path).includes('.') ? undefined : path)
}

export const extensionOf = (path: string): string =>
  /[^/]\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? ''

export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** With a trailing slash; `''`: the top. */
export const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)

/** Installed or generated code, and files of tools. */
export const isForeign = (path: string): boolean =>
  /(?:^|\/)(?:node_modules|vendor|\.venv|venv|site-packages|\.git|\.yarn|target|__pycache__)\//.test(
    path,
  )
