"""Sign-in by a link that works once, or by a passkey; the way to a second factor."""

from __future__ import annotations

from allauth.account.internal.flows.login import record_authentication
from allauth.account.utils import perform_login
from allauth.core.internal.ratelimit import respond_429
from allauth.mfa.webauthn.views import login_webauthn
from django import forms
from django.contrib.auth.decorators import login_required
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods

from paymatch.area.people.accounts import begin, create_first_person, person_invited, person_of_link, redeem
from paymatch.area.people.first_person import is_first_token
from paymatch.area.people.known_browsers import may_try_passkey, remember
from paymatch.area.people.models import User
from paymatch.area.proof import set_up_second_factor
from paymatch.area.service import the_service


class FirstPageForm(forms.Form):
    """The name of an invited person, and the password unless they take a passkey."""

    name = forms.CharField(
        max_length=120, label=gettext_lazy("Your name"), widget=forms.TextInput(attrs={"autocomplete": "name"})
    )
    password = forms.CharField(
        label=gettext_lazy("Password"), required=False, max_length=1000, strip=False,
        help_text=gettext_lazy("At least 10 characters. A sentence is easy to keep in mind."),
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )  # fmt: skip

    def __init__(self, data: object, user: User) -> None:
        super().__init__(data, initial={"name": user.name})
        self._user = user

    @property
    def takes_passkey(self) -> bool:
        """Whether the person sets up a passkey instead of a password."""
        return self.data.get("by") == "passkey"

    def clean_password(self) -> str:
        password = str(self.cleaned_data["password"])
        if self.takes_passkey:
            return ""
        if not password:
            raise ValidationError(_("Choose a password, or use a passkey."))
        validate_password(password, self._user)
        return password


@require_http_methods(["GET", "HEAD", "POST"])
def by_invitation(request: HttpRequest, token: str) -> HttpResponse:
    """The first page of an invited person: POST sets name and password, or leads to a passkey, and signs in.

    An invitation that has expired, was withdrawn or has led to a password or passkey says so (410).
    """
    user = person_invited(token, the_service().clock())
    if user is None:
        return _answer_expired(request, invites=True)
    form = FirstPageForm(request.POST if request.method == "POST" else None, user)
    if not form.is_valid():
        status = 422 if form.is_bound else 200
        return render(request, "area/invitation.html", {"person": user.email, "form": form}, status=status)
    begin(user, form.cleaned_data["name"], form.cleaned_data["password"])
    return _begin_signed_in(request, user, takes_passkey=form.takes_passkey)


def _begin_signed_in(request: HttpRequest, user: User, *, takes_passkey: bool) -> HttpResponse:
    """Signs a new person in, who goes on to their passkey or to the first page."""
    remember(request, user)
    after = reverse("mfa_add_webauthn" if takes_passkey else "home")
    answer: HttpResponse = perform_login(request, user, email_verification="none", redirect_url=after)
    if not takes_passkey:  # typed a moment ago: not asked for again where a fresh password is needed
        record_authentication(request, user, method="password", reauthenticated=True)
    return answer


class FirstPersonForm(FirstPageForm):
    """The address, name and password of the first person of an installation."""

    email = forms.EmailField(
        label=gettext_lazy("Your e-mail address"), max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "username"}),
    )  # fmt: skip
    field_order = ("email", "name", "password")


@require_http_methods(["GET", "HEAD", "POST"])
def by_first_link(request: HttpRequest, token: str) -> HttpResponse:
    """The first page of an installation: POST makes its first person, an operator, and signs in (D-140).

    A link that has expired, or that came after the first person, says so (410).
    """
    service = the_service()
    if not is_first_token(service.settings.secret(), token, service.clock()) or User.objects.exists():
        return render(request, "area/link_expired.html", {"is_first": True}, status=410)
    form = FirstPersonForm(request.POST if request.method == "POST" else None, User())
    if not form.is_valid():
        return render(request, "area/first_person.html", {"form": form}, status=422 if form.is_bound else 200)
    given = form.cleaned_data
    user = create_first_person(given["email"], given["name"], given["password"])
    if user is None:
        return render(request, "area/link_expired.html", {"is_first": True}, status=410)
    return _begin_signed_in(request, user, takes_passkey=form.takes_passkey)


@require_http_methods(["GET", "HEAD", "POST"])
def by_link(request: HttpRequest, token: str) -> HttpResponse:
    """Says who would be signed in; POST does it and leads on, over the second factor where there is one.

    Programs that look at mail, chats and logs follow links, so looking changes nothing. A link that was used or has
    expired says so (410).
    """
    now = the_service().clock()
    if request.method == "POST":
        return _signed_in(request, redeem(token, now))
    user = person_of_link(token, now)
    return render(request, "area/link.html", {"person": user.email}) if user is not None else _answer_expired(request)


def _signed_in(request: HttpRequest, user: User | None) -> HttpResponse:
    if user is None:
        return _answer_expired(request)
    remember(request, user)
    answer: HttpResponse = perform_login(request, user, email_verification="none", redirect_url=reverse("home"))
    return answer


def by_passkey(request: HttpRequest) -> HttpResponse:
    """Sign-in by a passkey, counted by known browser, so strangers at its address cannot lock anyone out."""
    answer: HttpResponse = login_webauthn(request) if may_try_passkey(request) else respond_429(request)
    return answer


def _answer_expired(request: HttpRequest, *, invites: bool = False) -> HttpResponse:
    return render(request, "area/link_expired.html", {"invites": invites}, status=410)


@require_GET
@login_required
def second_factor(request: HttpRequest) -> HttpResponse:
    """Leads to where a second factor is set up, and from there to the page `next`."""
    back = request.GET.get("next", "/")
    is_ours = back.startswith("/") and url_has_allowed_host_and_scheme(back, allowed_hosts=None)
    return set_up_second_factor(request, back if is_ours else "/")
