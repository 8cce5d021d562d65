import { expect, test } from 'vitest'
import { splitPatch } from './split-patch.ts'

const patch = `diff --git a/src/a.ts b/src/a.ts
index 1..2 100644
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,2 +1,2 @@
-diff --git a/x b/x
+++ counted, as it is content
 same
diff --git a/old name.txt b/new name.txt
similarity index 100%
rename from old name.txt
rename to new name.txt
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-bye
diff --git a/logo.png b/logo.png
new file mode 100644
Binary files /dev/null and b/logo.png differ
diff --git "a/caf\\303\\251.txt" "b/caf\\303\\251.txt"
new file mode 100644
--- /dev/null
+++ "b/caf\\303\\251.txt"
@@ -0,0 +1 @@
+x
`

test('splits a patch into one per file, with its status', () => {
  const found = splitPatch(patch).map(({ patch: _patch, ...file }) => file)
  expect(found).toEqual([
    { path: 'src/a.ts', status: 'modified', added: 1, removed: 1 },
    { path: 'new name.txt', status: 'renamed', oldPath: 'old name.txt', added: 0, removed: 0 },
    { path: 'gone.txt', status: 'deleted', added: 0, removed: 1 },
    { path: 'logo.png', status: 'added', added: 0, removed: 0 },
    { path: 'café.txt', status: 'added', added: 1, removed: 0 },
  ])
  expect(
    splitPatch(patch)
      .map((one) => one.patch)
      .join(''),
  ).toBe(patch)
})

test('an empty patch has no files', () => {
  expect(splitPatch('')).toEqual([])
})
