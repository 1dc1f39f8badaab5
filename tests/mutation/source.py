# SPDX-License-Identifier: MIT
"""C source as tokens, functions and statements: as much of C as the files in algorithms/ use."""
import re

TOKEN = re.compile(
    r'(?P<space>(?:\s|//[^\n]*|/\*.*?\*/)+)'
    r'|(?P<directive>\#(?:[^\n\\]|\\.)*)'
    r'|(?P<string>"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\')'
    r'|(?P<number>\d[\w.]*)'
    r'|(?P<name>[A-Za-z_]\w*)'
    r'|(?P<mark><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[^\s\w])', re.S)

OPEN, CLOSE = {'(': ')', '[': ']', '{': '}'}, {')', ']', '}'}
STATEMENTS = ('if', 'for', 'while', 'do', 'switch', 'return', 'break', 'continue', 'case', 'default', 'else', 'goto')
TYPES = {'int', 'size_t', 'struct', 'const', 'void', 'bool', 'double', 'int64_t', 'uint64_t', 'char', 'unsigned', 'enum',
         'static', 'long', 'int32_t', 'uint32_t'}


class Token:
    """One token, with the white space before it: comments are blanked, their line ends kept."""

    def __init__(self, kind, text, before, line):
        self.kind, self.text, self.before, self.line = kind, text, before, line


def blank(space):
    return re.sub(r'//[^\n]*|/\*.*?\*/', lambda m: ' ' + '\n' * m.group().count('\n'), space, flags=re.S)


def tokens_of(text):
    tokens, before, line = [], '', 1
    for match in TOKEN.finditer(text):
        if match.lastgroup == 'space':
            before = blank(match.group())
        else:
            tokens.append(Token(match.lastgroup, match.group(), before, line))
            before = ''
        line += match.group().count('\n')
    return tokens


class Statement:
    """Tokens first .. end-1.  kind: 'if', 'for', ..., 'block', 'declaration' or 'expression'."""

    def __init__(self, kind, first, end, parts=()):
        self.kind, self.first, self.end, self.parts = kind, first, end, parts


class Call:
    """NAME ( ARGUMENTS ): the name's token, and each argument's range."""

    def __init__(self, name, at, end, arguments):
        self.name, self.at, self.end, self.arguments = name, at, end, arguments


class Function:
    """A function's definition: signature tokens first .. body-1, then { ... } to end-1."""

    def __init__(self, source, name, first, body, end):
        self.source, self.name, self.first, self.body, self.end = source, name, first, body, end
        self.static = source.tokens[first].text == 'static'
        self.statements, self.calls = [], []
        self.read_statement(body)
        self.find_calls()
        self.names = {t.text for t in source.tokens[first:end] if t.kind == 'name'}
        self.pieces = self.number_pieces()

    def text(self, i):
        return self.source.tokens[i].text

    def number_pieces(self):
        """Token -> piece: the tokens between two ; { and } outside of parentheses, and the head of a statement by itself."""
        pieces, piece, depth, heads = {}, 0, 0, set()
        for s in self.statements:
            if s.kind in ('if', 'for', 'while', 'switch'):
                heads.add(s.parts[1])
        for i in range(self.body, self.end):
            text = self.text(i)
            if text in ('{', '}') and depth == 0:
                piece += 1
            pieces[i] = piece
            depth += (text in '([') - (text in ')]')
            if depth == 0 and (text in (';', '{', '}', 'do', 'else') or i in heads):
                piece += 1
        return pieces

    # ---------------------------------------------------------------- statements

    def read_statement(self, i):
        """Note the statement that begins at token i and those in it; give where it ends."""
        text, close = self.text(i), self.source.close
        if text == '{':
            end, at = close[i] + 1, i + 1
            children = []
            while at < end - 1:
                children.append(at)
                at = self.read_statement(at)
            self.statements.append(Statement('block', i, end, tuple(children)))
            return end
        if text in ('if', 'for', 'while', 'switch'):
            end = self.read_statement(close[i + 1] + 1)
            middle = end
            if text == 'if' and end < self.end and self.text(end) == 'else':
                end = self.read_statement(end + 1)
            self.statements.append(Statement(text, i, end, (i + 1, close[i + 1], middle)))
            return end
        if text == 'do':
            end = self.read_statement(i + 1)
            end = close[end + 1] + 2
            self.statements.append(Statement('do', i, end))
            return end
        if text in ('case', 'default'):
            at = i
            while self.text(at) != ':':
                at += 1
            return at + 1
        at = i
        while self.text(at) != ';':
            at = close[at] + 1 if at in close else at + 1
        self.statements.append(Statement(self.plain_kind(i), i, at + 1))
        return at + 1

    def plain_kind(self, i):
        text, after = self.text(i), self.text(i + 1)
        if text in ('return', 'break', 'continue', 'goto'):
            return text
        if text in TYPES or (self.source.tokens[i].kind == 'name' and self.source.tokens[i + 1].kind == 'name'):
            return 'declaration'
        return 'cast' if text == '(' and after == 'void' else 'expression'

    # ---------------------------------------------------------------- calls

    def find_calls(self):
        for i in range(self.body, self.end):
            token = self.source.tokens[i]
            if token.kind == 'name' and self.text(i + 1) == '(' and token.text not in STATEMENTS + ('sizeof',):
                self.calls.append(Call(token.text, i, self.source.close[i + 1] + 1, self.arguments(i + 1)))

    def arguments(self, i):
        """The ranges between ( at token i, the commas, and its )."""
        end, ranges, first, at = self.source.close[i], [], i + 1, i + 1
        while at < end:
            if self.text(at) == ',':
                ranges.append((first, at))
                first = at + 1
            at = self.source.close[at] + 1 if at in self.source.close else at + 1
        if end > i + 1:
            ranges.append((first, end))
        return ranges

    def parameters(self):
        """The names of the parameters, or None where they are more than names of types."""
        start = next(i for i in range(self.first, self.body) if self.text(i) == self.name) + 1
        names = []
        for first, end in self.arguments(start):
            words = [i for i in range(first, end) if self.source.tokens[i].kind == 'name']
            if any(self.text(i) == '(' for i in range(first, end)):
                return None
            while words and self.text(words[-1] - 1) == '[':
                words.pop()
            if [self.text(i) for i in words] == ['void']:
                return []
            names.append(self.text(words[-1]))
        return names

    def returns(self):
        start = next(i for i in range(self.first, self.body) if self.text(i) == self.name)
        return [self.text(i) for i in range(self.first, start) if self.text(i) not in ('static', 'inline')]


class Source:
    def __init__(self, path, text):
        self.path, self.lines, self.tokens = path, text.split('\n'), tokens_of(text)
        self.close = self.match_brackets()
        self.functions = {}
        self.find_functions()

    def match_brackets(self):
        close, stack = {}, []
        for i, token in enumerate(self.tokens):
            if token.kind == 'mark' and token.text in OPEN:
                stack.append(i)
            elif token.kind == 'mark' and token.text in CLOSE:
                close[stack.pop()] = i
        return close

    def find_functions(self):
        i, first = 0, 0
        while i < len(self.tokens):
            token = self.tokens[i]
            if token.kind == 'directive' or token.text == ';':
                i += 1
                first = i
            elif token.text == '{':
                end = self.close[i] + 1
                if self.tokens[i - 1].text == ')':
                    start = next(k for k, c in self.close.items() if c == i - 1)
                    name = self.tokens[start - 1].text
                    self.functions[name] = Function(self, name, first, i, end)
                    first = end
                i = end
            elif i in self.close:
                i = self.close[i] + 1
            else:
                i += 1

    def render(self, first, end, edits=None, rename=None):
        """Text of tokens first .. end-1, with edits {token: new text} and one name at a token replaced."""
        out = []
        for i in range(first, end):
            text = self.tokens[i].text
            if edits and i in edits:
                text = edits[i]
            elif rename and i == rename[0]:
                text = rename[1]
            out.append((self.tokens[i].before if i > first else '') + text)
        return ''.join(out)
