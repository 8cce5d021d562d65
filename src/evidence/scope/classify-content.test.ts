import { describe, expect, test } from 'vitest'
import { classifyTrees, classLines, type TreeFiles } from '../../testing/classify-trees.ts'

/** A web page without entries; tests read a report that nothing else refers to. */
const site: TreeFiles = {
  'package.json': '{ "scripts": { "test": "node --test" } }',
  'public/index.html': '<script type="module" src="../src/sum.js"></script>',
  'public/report.html': '<p>5</p>',
  'src/sum.js': "import './app.css'\nread('../assets/logo.svg', './list.sql')",
  'src/app.css': 'x',
  'src/expected.css': '/* 5 */',
  'src/seed.sql': '-- 5',
  'src/list.sql': 'x',
  'assets/logo.svg': 'x',
  'assets/sum.svg': '5',
  'test/sum.test.js':
    "import '../src/sum.js'\nread('../public/report.html')\nread('../src/' + name + '.sql')",
}

type Row = readonly [string, TreeFiles, TreeFiles, readonly string[]]

describe('pages, styles, images and queries', () => {
  const rows: readonly Row[] = [
    [
      'pages that load the product, and styles, images and queries that it loads',
      site,
      { 'public/index.html': 'y', 'src/app.css': 'y', 'assets/logo.svg': 'y', 'src/list.sql': 'y' },
      ['assets/logo.svg', 'public/index.html', 'src/app.css', 'src/list.sql'].map(
        (path) => `work ${path}`,
      ),
    ],
    [
      'a template that the product names without its extension',
      { ...site, 'public/mail.ejs': 'x', 'src/sum.js': "render('mail')" },
      { 'public/mail.ejs': 'y' },
      ['work public/mail.ejs'],
    ],
    [
      'a new page, style and image',
      site,
      { 'public/b.html': 'y', 'src/b.css': 'y', 'assets/b.svg': 'y' },
      ['work assets/b.svg', 'work public/b.html', 'work src/b.css'],
    ],
    [
      'a page that is all that tests refer to',
      { ...site, 'test/sum.test.js': "read('../public/report.html')" },
      { 'public/report.html': '<p>0</p>' },
      ['work public/report.html'],
    ],
    [
      'a page to which only tests refer, beside code that they test',
      site,
      { 'public/report.html': '<p>0</p>' },
      ['other public/report.html'],
    ],
    [
      'the same, when the agent makes it load the product',
      site,
      { 'public/report.html': '<p>0</p><script src="../src/sum.js">' },
      ['other public/report.html'],
    ],
    [
      'queries, styles and images to which no code of the product refers',
      site,
      { 'src/seed.sql': '-- 0', 'src/expected.css': '/* 0 */', 'assets/sum.svg': '0' },
      ['other assets/sum.svg', 'other src/expected.css', 'other src/seed.sql'],
    ],
    [
      'the same in a language whose tests do not name files of code',
      {
        'Cargo.toml': '[package]\nname = "x"\n',
        'src/lib.rs': 'fn a() {}',
        'src/expected.sql': '-- 5',
        'tests/a_test.rs': 'include_str!("../src/expected.sql")',
      },
      { 'src/expected.sql': '-- 0', 'src/lib.rs': 'fn a() { 1 }' },
      ['other src/expected.sql', 'work src/lib.rs'],
    ],
  ]
  test.each(rows)('%s', async (_what, before, changes, expected) => {
    expect(classLines(await classifyTrees(before, changes))).toEqual(expected)
  })
})
