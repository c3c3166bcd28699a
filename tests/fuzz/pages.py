"""Pages as people write them, by hand and small: what is cut up and damaged."""

from __future__ import annotations

_ARTICLE = """<!DOCTYPE html>
<html lang="en-GB" class="no-js">
<head>
<meta charset="utf-8"><title>The mill &mdash; A paper</title>
<!--[if lt IE 9]><script src="old.js"></script><![endif]-->
<link rel="canonical" href="https://a.example/mill"><link rel=alternate type="application/rss+xml" href=/feed>
<meta property="og:title" content="The mill"><meta name=description content='It &quot;turned&quot;'>
<script type="application/ld+json">{"@type":"Article","datePublished":"2024-05-06"}</script>
<noscript><link rel="stylesheet" href="plain.css"></noscript>
<style>body > p { color: #333 }</style>
</head>
<body class="post single">
<noscript><iframe src="https://t.example/" height="0"></iframe></noscript>
<a class="skip" href="#content">Skip</a>
<header role="banner"><nav class="menu"><ul><li><a href="/">Home</a><li><a href="/news/">News</a></ul></nav></header>
<div id="page"><div class="site-header"><svg viewBox="0 0 9 9"><title>Logo</title><path d="M0 0h9"/></svg></div>
<main id="content"><article itemscope>
<h1>The mill turns again</h1>
<p class="by">By <a rel="author" href="/by/anna">Anna</a>, <time itemprop="datePublished" datetime="2024-05-06">6 May</time>
<p>Plums &amp; apples were carried to the <b>old <i>mill</i></b> before the bell rang.
<blockquote><p>“It was time”, she said.</p></blockquote>
<p>More: <a href="/a?x=1&y=2#z">here</a><br>and <a href="//b.example/" rel="nofollow ugc">there</a>.</p>
<figure><img src="m.jpg" alt="A mill"><figcaption>A mill</figcaption></figure>
<footer><ul class=share><li>Share</ul></footer>
</article></main>
<aside id="sidebar"><h2>More</h2><template id=t><li><a href="{{u}}">{{t}}</a></li></template></aside></div>
<footer>&copy; 2024 <a href="/imprint">Imprint</a></footer>
<script>window.a = "<p>" + 1 + "</p>"; if (1 < 2) {}</script>
</body>
</html>
"""
_OLD = """<HTML><HEAD><TITLE>My page</TITLE></HEAD>
<BODY BGCOLOR=#ffffff><CENTER><FONT SIZE=5><B>Welcome</FONT></B></CENTER>
<TABLE BORDER=0 WIDTH="100%"><TR><TD ID=menu><A HREF=a.html>One<A HREF=b.html>Two</A>
<TD><P><FONT FACE=Arial><P>First<P>Second</FONT><FORM ACTION=/s><INPUT NAME=q><INPUT TYPE=hidden></FORM>
<TABLE><TR><FORM><TD>Cell</TD></FORM></TR><TR><TD><UL><LI>a<LI>b</UL></TABLE>
</TABLE><HR><I>Written by <A NAME=me>me</I></A>
<DL><DT>Plum<DD>A fruit<DT>Mill<DD>A house</DL></P></BODY></HTML><!-- counter -->
"""
_SHOP = """<!doctype html><html><head><title>Blue plum</title><base href="/shop/">
<meta itemprop=uploadDate content=2024-01-01></head><body>
<div class="navbar"><form action=/search role=search><input type=search><button>Go</button></form></div>
<div class=wrapper><ul class=breadcrumb><li><a href=..>Shop</a></ul>
<a href="/p/1"><div class=card><h3>Plum</h3><p>1.20</p><a href=/like>♥</a></div></a>
<a href="/p/2"><div class=card><h3>Pear</h3><del>2.00</del> <ins>1.50</ins></div></a>
<select name=size><optgroup label=A><option value=1>Small<option selected>Large</select>
<my-price currency=EUR><span slot=value>1.20</span></my-price>
<details><summary>More</summary><dl><dt>Weight<dd>1 kg</dl></details>
<div hidden>Added</div><div role=dialog aria-hidden=true>Cookies</div>
<button type=button>Buy <b>now</button></b>
<table><caption>Sizes</caption><colgroup><col><col></colgroup><thead><tr><th>a<th>b</thead><tbody><tr><td>1<td>2</table>
</div></body></html>"""
_FORUM = """<html><body><div id=wrap><div class=header>Board</div>
<p>Quote:<div class=quote><b>anna wrote:<div>I <i>think<p>so</b></i></div></div>
<p>and <a href=u1>this <b>too</a> bold</b> <code>if (a &lt; b && c)</code>
<pre>
  line 1
  line 2</pre><ol><li>one<ul><li>two</ul><li>three</ol>
<p>日本語のテキスト &#x65E5;&#26412; &hellip;&nbsp;&lt;b&gt; AT&T &copy2024
<abbr title="2024-05-06T10:00">then</abbr> <nobr>a<nobr>b</nobr></nobr>
<object data=x><param name=a><p>none</object><h2>a</h3></div></body></html>"""
PAGES = (_ARTICLE, _ARTICLE, _OLD, _SHOP, _FORUM)
