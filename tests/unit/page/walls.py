"""What do walls look like in the wild? Pages written after real ones, each with its verdict.

Kept apart from the samples of the table: those were written together with their signatures, and
these were not. What is not recognised is listed in `MISSED`, so that the figure is known.
"""

from __future__ import annotations

from typing import NamedTuple


class Wall(NamedTuple):
    name: str
    kind: str
    body: str
    headers: tuple[tuple[str, str], ...] = ()
    status: int = 200


def page(title: str, body: str, head: str = "") -> str:
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>{head}'
        f"</head><body>{body}</body></html>"
    )


LOGIN = '<form method=post><input name=user><input type="password" name=p><button>Go</button></form>'
APP = '<script src="/assets/index-4f1a2b.js" type="module"></script>'
MENU = "<nav>" + "".join(f'<a href="/{n}">Department {n}</a> ' for n in range(30)) + "</nav>"

WALLS = [
    Wall("cloudflare managed challenge", "challenge", page(
        "Just a moment...",
        '<div class="main-wrapper" role="main"><noscript><div class="h2"><span>Enable JavaScript '
        "and cookies to continue</span></div></noscript></div><script>(function(){window._cf_chl_opt"
        "={cvId:'3',cZone:'shop.example',cType:'managed'};})();</script>",
        '<meta name="robots" content="noindex,nofollow"><meta http-equiv="refresh" content="360">',
    )),
    Wall("cloudflare challenge by its header alone", "challenge", page("shop.example", "<p>Wait"),
         (("CF-Mitigated", "challenge"), ("Server", "cloudflare")), 403),
    Wall("cloudflare five seconds of old", "challenge", page(
        "Just a moment...",
        '<h1><span data-translate="checking_browser">Checking your browser before accessing'
        "</span> forum.example.</h1><p>This process is automatic. Your browser will redirect to your "
        "requested content shortly.</p><p>Please allow up to 5 seconds…</p><p>DDoS protection by "
        "Cloudflare</p><p>Ray ID: 5d1f0c2a9e7b1c3d</p><script>setTimeout(f,4000)</script>",
    ), (), 503),
    Wall("cloudflare block", "ip_blocked", page(
        "Attention Required! | Cloudflare",
        "<h1>Sorry, you have been blocked</h1><h2>You are unable to access shop.example</h2><h2>Why "
        "have I been blocked?</h2><p>This website is using a security service to protect itself from "
        "online attacks. The action you just performed triggered the security solution. There are "
        "several actions that could trigger this block including submitting a certain word or phrase, "
        "a SQL command or malformed data.</p><h2>What can I do to resolve this?</h2><p>You can email "
        "the site owner to let them know you were blocked. Please include what you were doing when "
        "this page came up and the Cloudflare Ray ID found at the bottom of this page.</p>"
        "<p>Cloudflare Ray ID: <strong>8c1d2e3f4a5b6c7d</strong> • Your IP: 192.0.2.7</p>",
    ), (), 403),
    Wall("cloudflare rate limit", "ip_blocked", page(
        "Access denied | api.example used Cloudflare to restrict access",
        "<h1>Error 1015 Ray ID: 8c1d2e3f4a5b6c7d</h1><h2>You are being rate limited</h2><h2>What "
        "happened?</h2><p>The owner of this website (api.example) has banned you temporarily from "
        "accessing this website.</p>",
    ), (), 429),
    Wall("cloudflare 1020", "access_denied", page(
        "Access denied",
        "<h1>Access denied</h1><p>Error code 1020</p><p>You do not have access to news.example.</p>"
        "<p>The site owner may have set restrictions that prevent you from accessing the site.</p>"
        "<p>Ray ID 8c1d2e3f4a5b6c7d</p>",
    )),
    Wall("akamai", "access_denied",
        "<HTML><HEAD>\n<TITLE>Access Denied</TITLE>\n</HEAD><BODY>\n<H1>Access Denied</H1>\n \nYou "
        'don\'t have permission to access "http&#58;&#47;&#47;www&#46;shop&#46;example&#47;p" on this '
        "server.<P>\nReference&#32;&#35;18&#46;9a3d1502&#46;1767225600&#46;2b7c11e\n<P>\nhttps&#58;"
        "&#47;&#47;errors&#46;edgesuite&#46;net&#47;18&#46;9a3d1502</P>\n</BODY>\n</HTML>\n",
    ),
    Wall("akamai sec-cpt", "challenge", page(
        "", '<div id="sec-if-cpt-container" class="x"></div><script src="/_sec/cp_challenge/ak-'
        'challenge-4-8.htm"></script>',
    )),
    Wall("imperva frame", "challenge",
        '<html style="height:100%"><head><META NAME="ROBOTS" CONTENT="NOINDEX, NOFOLLOW"><meta '
        'name="viewport" content="initial-scale=1.0"></head><body style="margin:0px"><iframe '
        'id="main-iframe" src="/_Incapsula_Resource?SWUDNSAI=31&xinfo=9-1-0&incident_id=7000-1" '
        'frameborder=0 width="100%">Request unsuccessful. Incapsula incident ID: 700000120-1'
        "</iframe></body></html>",
    ),
    Wall("imperva block page", "access_denied", page(
        "bank.example", "<h1>Access Denied</h1><p>Error 16</p><p>www.bank.example</p><p>2026-01-01 "
        "10:00:00 UTC</p><p>Your IP 192.0.2.7</p><p>Incident ID: 700000120-1</p><p>Powered by Imperva",
    )),
    Wall("datadome captcha", "captcha",
        '<html lang="en"><head><title>news.example</title><style>#cmsg{animation: A 1.5s;}</style>'
        '</head><body style="margin:0"><p id="cmsg">Please enable JS and disable any ad blocker</p>'
        "<script data-cfasync=\"false\">var dd={'rt':'c','cid':'AHrlqAAAAAMA','hsh':'77DC0FFBAA',"
        "'t':'fe','s':17434,'e':'a1','host':'geo.captcha-delivery.com'}</script><script "
        'src="https://ct.captcha-delivery.com/c.js"></script></body></html>',
        (), 403,
    ),
    Wall("datadome device check", "challenge",
        '<html><head><title>news.example</title></head><body><p id="cmsg">Please enable JS and disable '
        "any ad blocker</p><script>var dd={'rt':'i','cid':'AHrlq','hsh':'7','b':1,'s':1,'host':'geo."
        'captcha-delivery.com\'}</script><script src="https://ct.captcha-delivery.com/i.js"></script>',
        (), 403,
    ),
    Wall("perimeterx", "captcha", page(
        "Access to this page has been denied",
        '<h1>Press &amp; Hold to confirm you are<br>a human (and not a bot).</h1><div id="px-captcha">'
        "</div><p>Reference ID 0a1b2c3d-0000-11f0-8000-1a2b3c4d5e6f</p>",
        "<script>window._pxAppId='PXabc';window._pxVid='';</script>",
    ), (), 403),
    Wall("perimeterx, robot or human", "captcha", page(
        "Robot or human?",
        '<h1>Robot or human?</h1><p>Activate and hold the button to confirm that you’re human. Thank '
        'You!</p><div id="px-captcha"></div><p>Try a different method</p>',
    )),
    Wall("kasada", "challenge",
        '<!DOCTYPE html><html><head></head><body><script>window.KPSDK={};KPSDK.now=typeof performance'
        '!=="undefined"?1:0;KPSDK.start=KPSDK.now;</script><script src="/149e9513-01fa-4fb0-aad4-'
        '566afd725d1b/2d206a39-8ed7-437e-a3be-862e0f06eea3/ips.js?x-kpsdk-im=AA"></script></body>',
        (), 429,
    ),
    Wall("aws waf challenge", "challenge", page(
        "", '<div id="challenge-container"></div><script type="text/javascript">AwsWafIntegration.'
        "saveReferrer();AwsWafIntegration.checkForceRefresh().then((f)=>{});</script><noscript><h1>"
        "JavaScript is disabled</h1>In order to continue, we need to verify that you're not a robot. "
        "This requires JavaScript.</noscript>",
        "<script>window.awsWafCookieDomainList=[];window.gokuProps={'key':'AQID'};</script>",
    ), (("x-amzn-waf-action", "challenge"),), 202),
    Wall("aws waf captcha", "captcha", page(
        "Human Verification", '<div id="captcha-container"></div><script src="https://x.eu-west-1.'
        'captcha-sdk.awswaf.com/x/jsapi.js"></script>',
    ), (("x-amzn-waf-action", "captcha"),), 405),
    Wall("cloudfront", "access_denied",
        '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN"><HTML><HEAD><META HTTP-EQUIV='
        '"Content-Type" CONTENT="text/html; charset=iso-8859-1">\n<TITLE>ERROR: The request could not '
        "be satisfied</TITLE>\n</HEAD><BODY>\n<H1>403 ERROR</H1>\n<H2>The request could not be "
        "satisfied.</H2>\n<HR noshade size=1px>\nRequest blocked.\nWe can't connect to the server for "
        "this app or website at this time. There might be too much traffic or a configuration error. "
        "Try again later, or contact the app or website owner.\n<PRE>Generated by cloudfront "
        "(CloudFront)\nRequest ID: abc==\n</PRE></BODY></HTML>",
    ),
    Wall("f5 asm", "access_denied",
        "<html><head><title>Request Rejected</title></head><body>The requested URL was rejected. Please "
        "consult with your administrator.<br><br>Your support ID is: 9876543210987654321<br><br><a "
        "href='javascript:history.back();'>[Go Back]</a></body></html>",
    ),
    Wall("f5 javascript challenge", "challenge",
        '<html><head><meta http-equiv="Pragma" content="no-cache"/><script type="text/javascript" '
        'src="/TSPD/08a1b2c3d4ab2000?type=9"></script><script>window["bobcmn"] = "10111010";</script>'
        "</head><body><noscript>Please enable JavaScript to view the page content.<br/>Your support ID "
        "is: 1234.</noscript></body></html>",
    ),
    Wall("sucuri block", "access_denied", page(
        "Sucuri WebSite Firewall - Access Denied",
        "<h1>Access Denied - Sucuri Website Firewall</h1><p>If you are the site owner (or you manage "
        "this site), please whitelist your IP or if you think this block is an error please open a "
        "support ticket.</p><h2>Block details:</h2><table><tr><td>Your IP:</td><td>192.0.2.7</td></tr>"
        "<tr><td>Block ID:</td><td>BNP005</td></tr></table>",
    ), (), 403),
    Wall("sucuri challenge", "challenge",
        "<html><title>You are being redirected...</title>\n<noscript>Javascript is required. Please "
        "enable javascript before you are allowed to see this page.</noscript>\n<script>var s={},u,c,U,"
        "r,i,l=0,a,e=eval,w=String.fromCharCode,sucuri_cloudproxy_js='',S='dD0=';</script></html>",
    ),
    Wall("ddos-guard", "challenge", page(
        "DDoS-Guard",
        "<h1>Checking your browser before accessing forum.example</h1><p>This process is automatic. "
        "Your browser will redirect to your requested content shortly.</p><p>Please allow up to 5 "
        "seconds...</p>", '<script src="/.well-known/ddos-guard/js-challenge/index.js" async></script>',
    ), (("Server", "ddos-guard"),), 403),
    Wall("anubis", "challenge", page(
        "Making sure you&#39;re not a bot!",
        '<main><h1 id="title">Making sure you&#39;re not a bot!</h1><div><img id="image" src="/.within.'
        'website/x/cmd/anubis/static/img/pensive.webp"><p id="status">Loading...</p><details><summary>'
        "Why am I seeing this?</summary><p>You are seeing this because the administrator of this website "
        "has set up Anubis to protect the server against the scourge of AI companies aggressively "
        "scraping websites. This can and does cause downtime for the websites, which makes their "
        "resources inaccessible for everyone.</p><p>Anubis is a compromise. Anubis uses a Proof-of-Work "
        "scheme in the vein of Hashcash, a proposed proof-of-work scheme for reducing email spam."
        "</p></details></div></main>",
        '<script id="anubis_challenge" type="application/json">{"rules":{"difficulty":4}}</script>',
    )),
    Wall("vercel checkpoint", "challenge", page(
        "Vercel Security Checkpoint",
        "<p>We're verifying your browser</p><p>Website owner? Click here to fix</p><p>Vercel Security "
        "Checkpoint | fra1::1767225600-abc</p><noscript><p>Enable JavaScript to continue</p></noscript>",
        '<script type="module" src="/.well-known/vercel/security/static/challenge.v2.min.js"></script>',
    ), (("x-vercel-mitigated", "challenge"),), 429),
    Wall("google sorry", "captcha", page(
        "https://www.google.example/search?q=tenax",
        '<form id="captcha-form" action="index" method="post"><div id="recaptcha" class="g-recaptcha" '
        'data-sitekey="6L"></div></form><b>About this page</b><br><br>Our systems have detected unusual '
        "traffic from your computer network. This page checks to see if it's really you sending the "
        "requests, and not a robot. <a href='#'>Why did this happen?</a><div id='infoDiv'>This page "
        "appears when Google automatically detects requests coming from your computer network which "
        "appear to be in violation of the Terms of Service. The block will expire shortly after those "
        "requests stop. In the meantime, solving the above CAPTCHA will let you continue to use our "
        "services.<br><br>This traffic may have been sent by malicious software, a browser plug-in, or "
        "a script that sends automated requests. If you share your network connection, ask your "
        "administrator for help.</div>IP address: 192.0.2.7<br>Time: 2026-01-01T10:00:00Z<br>",
    ), (), 429),
    Wall("amazon", "captcha", page(
        "Amazon.example",
        "<h4>Enter the characters you see below</h4><p>Sorry, we just need to make sure you're not a "
        "robot. For best results, please make sure your browser is accepting cookies.</p><form "
        'action="/errors/validateCaptcha"><h4>Type the characters you see in this image:</h4><img '
        'src="https://images.example/captcha/a.jpg"><input id="captchacharacters"><button>Continue '
        "shopping</button></form>",
    )),
    Wall("recaptcha interstitial", "captcha", page(
        "Security verification",
        '<h1>Please complete the captcha</h1><p>To prove you are human, tick the box.</p><div class="g-'
        'recaptcha" data-sitekey="x"></div>',
        '<script src="https://www.google.com/recaptcha/api.js"></script>',
    )),
    Wall("hcaptcha interstitial", "captcha", page(
        "Verify you are human",
        '<p>One more step before you proceed...</p><div class="h-captcha" data-sitekey="x"></div>'
        '<script src="https://js.hcaptcha.com/1/api.js"></script>',
    )),
    Wall("turnstile interstitial", "captcha", page(
        "tickets.example",
        '<h2>Please verify you are human</h2><div class="cf-turnstile" data-sitekey="0x4"></div><script '
        'src="https://challenges.cloudflare.com/turnstile/v0/api.js"></script>',
    )),
    Wall("litespeed", "challenge", page(
        "Bot Verification",
        "<h1>Verifying that you are not a robot...</h1><div class=spinner></div>",
        '<script src="https://www.recaptcha.net/recaptcha/api.js?onload=x"></script>',
    )),
    Wall("siteground", "captcha",
        '<html><head><link rel="icon" href="data:;"><meta http-equiv="refresh" content="0;/.well-known/'
        'sgcaptcha/?r=%2F&y=ipc:192.0.2.7:1767225600.1"></meta></head></html>', (), 202,
    ),
    Wall("fastly client challenge", "challenge", page(
        "Client Challenge",
        '<noscript><div>JavaScript is disabled in your browser.</div></noscript><div id="loading-error">'
        "A required part of this site couldn’t load. This may be due to a browser extension, network "
        "issues, or browser settings.</div>", '<script src="/_fs-ch-1T1wmsGaOgGaSxcX/script.js"></script>',
    )),
    Wall("wordfence", "access_denied", page(
        "Your access to this site has been limited by the site owner",
        "<h1>Your access to this site has been limited by the site owner</h1><p>Your access to this "
        "service has been limited. (HTTP response code 503)</p><p>If you think you have been blocked in "
        "error, contact the owner of this site for assistance.</p><h2>Block Technical Data</h2><table>"
        "<tr><th>Block Reason:</th><td>Exceeded the maximum number of requests per minute</td></tr>"
        "<tr><th>Time:</th><td>Thu, 1 Jan 2026 10:00:00 GMT</td></tr></table><h3>About Wordfence</h3>"
        "<p>Wordfence is a security plugin installed on over 5 million WordPress sites.</p>",
    ), (), 503),
    Wall("mod_security", "access_denied",
        "<head><title>Not Acceptable!</title></head><body><h1>Not Acceptable!</h1><p>An appropriate "
        "representation of the requested resource could not be found on this server. This error was "
        "generated by Mod_Security.</p></body></html>", (), 406,
    ),
    Wall("nginx 403 served as 200", "access_denied",
        "<html>\r\n<head><title>403 Forbidden</title></head>\r\n<body>\r\n<center><h1>403 Forbidden</h1>"
        "</center>\r\n<hr><center>nginx/1.24.0</center>\r\n</body>\r\n</html>\r\n",
    ),
    Wall("apache 403 served as 200", "access_denied",
        '<!DOCTYPE HTML PUBLIC "-//IETF//DTD HTML 2.0//EN">\n<html><head>\n<title>403 Forbidden</title>\n'
        "</head><body>\n<h1>Forbidden</h1>\n<p>You don't have permission to access this resource.</p>\n"
        "<hr>\n<address>Apache/2.4.57 (Debian) Server at www.club.example Port 443</address>\n"
        "</body></html>\n",
    ),
    Wall("iis 403", "access_denied",
        '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN"><html><head><title>403 - Forbidden: '
        'Access is denied.</title></head><body><div id="header"><h1>Server Error</h1></div><div '
        'id="content"><h2>403 - Forbidden: Access is denied.</h2><h3>You do not have permission to view '
        "this directory or page using the credentials that you supplied.</h3></div></body></html>",
    ),
    Wall("haproxy 403", "access_denied",
        "<html><body><h1>403 Forbidden</h1>\nRequest forbidden by administrative rules.\n</body></html>\n",
    ),
    Wall("a firewall of its own", "access_denied", page(
        "Access Denied", "<h2>Your request has been blocked</h2><p>Our systems flagged it as automated. "
        "If you believe this is a mistake, write to us with this reference: 4f1a-22.</p>",
    )),
    Wall("an address book's ban", "ip_blocked", page(
        "Blocked", "<h1>Your IP address has been blocked</h1><p>Too many requests from your network. "
        "Access will be possible again tomorrow.</p>",
    )),
    Wall("german denial", "access_denied", page(
        "Zugriff verweigert | Stadtwerke", "<h1>Zugriff verweigert</h1><p>Sie haben keine Berechtigung, "
        "auf diese Seite zuzugreifen.</p><a href='/'>Zur Startseite</a>",
    )),
    Wall("french denial", "access_denied", page(
        "403 - Accès interdit", "<h1>Accès interdit</h1><p>Vous n’avez pas l’autorisation d’accéder à "
        "cette page.</p>",
    )),
    Wall("russian denial", "access_denied", page(
        "Доступ запрещен", "<h1>Ошибка 403</h1><p>Доступ запрещен. У вас нет прав для просмотра этой "
        "страницы.</p>",
    )),
    Wall("japanese denial", "access_denied", page(
        "403 Forbidden", "<h1>アクセスが拒否されました</h1><p>このページを閲覧する権限がありません。</p>",
    )),
    Wall("chinese waf", "access_denied", page(
        "405", "<p>很抱歉，由于您访问的URL有可能对网站造成安全威胁，您的访问被阻断。</p><p>您的请求ID是："
        "0b1a2c3d17672256001234567e</p>",
    )),
    Wall("yandex", "captcha", page(
        "Вы не робот?",
        '<h1>Подтвердите, что запросы отправляли вы, а не робот</h1><p>Нам очень жаль, но запросы с вашего '
        'устройства похожи на автоматические.</p><form action="/checkcaptcha?key=1"><input type=checkbox>'
        "Нажмите, чтобы продолжить</form>",
    )),
    Wall("create-react-app", "needs_javascript", page(
        "Boat planner", '<noscript>You need to enable JavaScript to run this app.</noscript><div id="root">'
        "</div>", '<script defer src="/static/js/main.8d1c.js"></script>',
    )),
    Wall("vue cli", "needs_javascript", page(
        "tide-board", "<noscript><strong>We're sorry but tide-board doesn't work properly without "
        "JavaScript enabled. Please enable it to continue.</strong></noscript><div id=app></div>" + APP,
    )),
    Wall("vite", "empty_shell", page("Vite App", '<div id="app"></div>' + APP)),
    Wall("angular", "empty_shell", page("Harbour", "<app-root></app-root>" + APP, "<base href='/'>")),
    Wall("next without rendering", "empty_shell", page(
        "Harbour", '<div id="__next"></div><script id="__NEXT_DATA__" type="application/json">{"props":'
        '{"pageProps":{"text":"many words that no one sees without scripts"}}}</script>' + APP,
    )),
    Wall("nuxt with a spinner", "empty_shell", page(
        "Harbour", '<div id="__nuxt"><div id="__nuxt_loading"><svg viewBox="0 0 1 1"></svg></div></div>'
        "<script>window.__NUXT__={}</script>" + APP,
    )),
    Wall("flutter", "empty_shell", page(
        "wallet", '<script src="flutter_bootstrap.js" async></script>', '<base href="/">',
    )),
    Wall("a loader and nothing else", "empty_shell", page("Shop", "<div>Loading…</div>" + APP)),
    Wall("javascript asked for in the text", "needs_javascript", page(
        "Harbour", "<h1>JavaScript is not enabled</h1><p>Please enable JavaScript in your browser and "
        "reload the page.</p>" + APP,
    )),
    Wall("german javascript wall", "needs_javascript", page(
        "Fahrplan", "<noscript>Bitte aktivieren Sie JavaScript, um diese Seite zu nutzen.</noscript>"
        "<div class=wrap></div>" + APP,
    )),
    Wall("japanese javascript wall", "needs_javascript", page(
        "時刻表", "<noscript>このサイトを利用するにはJavaScriptを有効にしてください。</noscript><main></main>" + APP,
    )),
    Wall("a login page", "login_wall", page(
        "Sign in · Workbench", "<h1>Sign in to Workbench</h1>" + LOGIN + "<a href=/f>Forgot password?</a>"
        "<p>New here? <a href=/join>Create an account</a>.</p>",
    )),
    Wall("members only", "login_wall", page(
        "Members only", "<h2>Members only</h2><p>You must be logged in to view this page.</p>" + LOGIN,
    )),
    Wall("wordpress login", "login_wall", page(
        "Log In ‹ Merrow Post — WordPress",
        "<h1><a href='https://wordpress.org/'>Powered by WordPress</a></h1><form><p><label>Username or "
        "Email Address</label><input name=log></p><label>Password</label><input type=password name=pwd>"
        "<p><input type=checkbox> Remember Me</p><input type=submit value='Log In'></form><p><a href=/l>"
        "Lost your password?</a></p>",
    )),
    Wall("german login", "login_wall", page("Anmelden", "<h1>Kundenportal</h1>" + LOGIN)),
    Wall("japanese login", "login_wall", page("ログイン | 会員サイト", "<h1>ログイン</h1>" + LOGIN)),
    Wall("login without a word", "login_wall", page("Portal", LOGIN)),
    Wall("wordpress 404 as 200", "soft_404", page(
        "Page not found – Merrow Post", MENU + "<main><h1>Oops! That page can’t be found.</h1><p>It looks "
        "like nothing was found at this location. Maybe try one of the links below or a search?</p><form>"
        "<input type=search></form></main>",
    )),
    Wall("a shop's missing product", "soft_404", page(
        "Product not found - Kettles", MENU + "<h1>Product not found</h1><p>The product you were looking "
        "for is no longer available. Have a look at our other kettles.</p>",
    )),
    Wall("apache 404 as 200", "soft_404",
        "<html><head><title>404 Not Found</title></head><body><h1>Not Found</h1><p>The requested URL "
        "/x was not found on this server.</p><hr><address>Apache</address></body></html>",
    ),
    Wall("nginx 404 as 200", "soft_404",
        "<html><head><title>404 Not Found</title></head><body><center><h1>404 Not Found</h1></center>"
        "<hr><center>nginx</center></body></html>",
    ),
    Wall("next 404", "soft_404", page(
        "404: This page could not be found.", '<div id="__next"><h1>404</h1><h2>This page could not be '
        "found.</h2></div>" + APP,
    )),
    Wall("github pages", "soft_404", page(
        "Site not found · GitHub Pages", "<h1>404</h1><p><strong>There isn't a GitHub Pages site here."
        "</strong></p><p>If you're trying to publish one, read the full documentation to learn how to set "
        "up GitHub Pages for your repository.</p>",
    )),
    Wall("german 404", "soft_404", page(
        "Seite nicht gefunden | Stadtwerke", MENU + "<main><h1>Seite nicht gefunden</h1><p>Die von Ihnen "
        "gesuchte Seite existiert nicht oder wurde verschoben.</p></main>",
    )),
    Wall("french 404", "soft_404", page(
        "Page introuvable - Mairie", "<h1>Oups ! Page introuvable</h1><p>La page que vous recherchez "
        "n’existe plus.</p>",
    )),
    Wall("spanish 404", "soft_404", page(
        "Error 404: página no encontrada", "<h1>Lo sentimos</h1><p>La página que buscas no existe.</p>",
    )),
    Wall("portuguese 404", "soft_404", page(
        "Página não encontrada", "<h1>Ops!</h1><p>A página que você procura não foi encontrada.</p>",
    )),
    Wall("italian 404", "soft_404", page(
        "404 - Pagina non trovata", "<h2>Pagina non trovata</h2><p>La pagina richiesta non esiste.</p>",
    )),
    Wall("dutch 404", "soft_404", page(
        "Pagina niet gevonden", "<h1>Sorry</h1><p>Deze pagina bestaat niet (meer).</p>",
    )),
    Wall("polish 404", "soft_404", page(
        "Nie znaleziono strony", "<h1>404</h1><p>Strona, której szukasz, nie istnieje.</p>",
    )),
    Wall("russian 404", "soft_404", page(
        "Страница не найдена", "<h1>404</h1><p>Страница, которую вы ищете, не существует.</p>",
    )),
    Wall("japanese 404", "soft_404", page(
        "ページが見つかりません｜港町", "<h1>404 Not Found</h1><p>お探しのページは見つかりませんでした。URLをご確認ください。</p>",
    )),
    Wall("chinese 404", "soft_404", page(
        "页面不存在", "<p>抱歉，您访问的页面不存在或已被删除。</p><a href='/'>返回首页</a>",
    )),
    Wall("a soft 404 in words of its own", "soft_404", page(
        "Merrow Post", MENU + "<h2>Well, this is awkward</h2><p>Whatever lived here has moved out.</p>",
    )),
    Wall("sedo", "parked", page(
        "merrow-ferries.example", "<div id=buybox><p>This domain may be for sale.</p></div>",
        '<script src="//www.sedoparking.com/frmpark/merrow/x/park.js"></script>',
    )),
    Wall("godaddy lander", "parked",
        '<!DOCTYPE html><html><head><script>window.onload=function(){window.location.href="/lander"}'
        "</script></head></html>",
    ),
    Wall("godaddy parked", "parked", page(
        "merrow.example", "<h1>merrow.example</h1><p>This Web page is parked FREE, courtesy of GoDaddy."
        "</p><p>Search for domains similar to merrow.example</p>",
    )),
    Wall("dan", "parked", page(
        "The domain name merrow.example is for sale", "<h1>The domain name merrow.example is for sale!"
        "</h1><p>Buy safely and securely in 3 easy steps. We take care of the transfer.</p>" + LOGIN[:6],
    )),
    Wall("german parked", "parked", page(
        "merrow.example steht zum Verkauf", "<h1>Diese Domain steht zum Verkauf!</h1><p>Jetzt anfragen",
    )),
    Wall("suspended", "parked", page(
        "Account Suspended", "<h1>Account Suspended</h1><p>This Account has been suspended.</p><p>Contact "
        "your hosting provider for more information.</p>",
    )),
    Wall("cut in a tag", "truncated", page("Tides", "<p>High water is at noon. " * 40)[:-40] + "<div cla"),
    Wall("cut in a script", "truncated",
        "<html><head><title>Tides</title></head><body><p>" + "High water is at noon. " * 40 +
        "</p><script>var tides = [1, 2,",
    ),
    Wall("cut in a comment", "truncated",
        "<html><body><p>" + "High water is at noon. " * 40 + "</p><!-- the table of",
    ),
    Wall("ok", "too_short", "<html><body>OK</body></html>"),
    Wall("it works", "too_short", "<html><body><h1>It works!</h1></body></html>"),
    Wall("nothing", "no_text", ""),
    Wall("an empty body", "no_text", "<html><head><title></title></head><body></body></html>"),
]  # fmt: skip

MISSED = frozenset({
    "a soft 404 in words of its own",
})
"""Walls that pass, counted and known: to catch them would take guesses that hit good pages too."""
